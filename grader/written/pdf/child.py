"""The child process: reads one PDF from its input and writes JSON. Run by its path; imports nothing of the grader."""

from __future__ import annotations

import json
import sys
from typing import Any


def main() -> None:
    """Answer the question of the command line about the PDF on the input."""
    question, bounds = sys.argv[1], json.loads(sys.argv[2])
    sys.path += sys.argv[3:]
    _limit(bounds)
    data = sys.stdin.buffer.read()
    try:
        answer = fields(data, bounds) if question == "fields" else pages(data, bounds)
    except MemoryError:
        answer = {"problem": "reading the PDF takes more memory than allowed; it may be a bomb. A person has to look."}
    sys.stdout.write(json.dumps(answer))


def _limit(bounds: dict[str, int]) -> None:
    try:
        import resource
    except ImportError:  # not on this system: the time limit of the parent holds alone
        return
    for name, value in (("RLIMIT_AS", bounds["memory"]), ("RLIMIT_CPU", bounds["seconds"]), ("RLIMIT_FSIZE", 0)):
        try:
            resource.setrlimit(getattr(resource, name), (value, value))
        except (ValueError, OSError):  # macOS refuses RLIMIT_AS
            continue


def fields(data: bytes, bounds: dict[str, int]) -> dict[str, Any]:  # noqa: ARG001 - one signature for both questions
    """Return the filled form fields of a PDF."""
    import io
    import logging

    logging.disable(logging.CRITICAL)
    try:
        from pypdf import PdfReader
        from pypdf.errors import DependencyError
    except ImportError:
        return {"problem": "PDF forms are read with the extra [written]: pip install 'attention-grader[written]'."}
    try:
        reader = PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            return {"problem": "the PDF is protected with a password. Hand it in without one."}
        found = reader.get_form_text_fields() or {}
        values = [[str(name).rpartition(".")[2], str(value)] for name, value in found.items() if value]
        chosen = reader.get_fields() or {}
        values += [
            [str(name).rpartition(".")[2], str(field.value).lstrip("/")]
            for name, field in chosen.items()
            if field.get("/FT") in {"/Ch", "/Btn"} and field.value not in {None, "/Off", ""}
        ]
    except MemoryError:
        raise
    except DependencyError:  # pypdf decrypts with a library that is not needed otherwise
        return {"problem": "the PDF is protected with a password. Hand it in without one."}
    except Exception as error:  # noqa: BLE001 - whatever a broken PDF does to its reader
        return {"problem": f"the PDF is broken ({type(error).__name__}). Export it again."}
    return {"fields": values}


def pages(data: bytes, bounds: dict[str, int]) -> dict[str, Any]:
    """Return text and look of the pages; see the report's reader."""
    raise NotImplementedError


if __name__ == "__main__":
    main()
