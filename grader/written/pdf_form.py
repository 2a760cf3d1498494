"""Fields of a fillable PDF, read in a limited child process."""

from __future__ import annotations


def form_fields(data: bytes) -> tuple[list[tuple[str, str]], str]:
    """Return the filled fields by name, and a problem or an empty text; a PDF without fields has none."""
    from grader.written.pdf.reading import ask_child

    answer = ask_child("fields", data)
    fields = answer.get("fields", [])
    return [(str(name), str(value)) for name, value in fields], str(answer.get("problem", ""))
