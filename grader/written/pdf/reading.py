"""Asks the child process about a PDF; whatever happens there becomes a sentence here."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Literal

from grader.written.pdf import limits

Question = Literal["fields", "pages"]
_CHILD = Path(__file__).with_name("child.py")


def ask_child(question: Question, data: bytes) -> dict[str, Any]:
    """Return the child's answer about ``data``; ``problem`` says in one sentence why there is none.

    The child has limited memory, time and output, opens no file for writing and gets the bytes by value.
    """
    problem = _at_first_sight(data)
    if problem:
        return {"problem": problem}
    bounds = json.dumps({"memory": limits.MEMORY, "seconds": limits.SECONDS, "pages": limits.PAGES})
    command = [sys.executable, "-I", "-S", str(_CHILD), question, bounds, *_packages()]
    try:
        done = subprocess.run(command, input=data, capture_output=True, timeout=limits.SECONDS + 5, check=False, env={})
    except subprocess.TimeoutExpired:
        return {"problem": f"reading the PDF took longer than {limits.SECONDS} seconds; a person has to look."}
    if done.returncode or len(done.stdout) > limits.OUTPUT:
        return {
            "problem": "reading the PDF took more memory or time than allowed; it may be a bomb. A person has to look."
        }
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        answer = None
    return answer if isinstance(answer, dict) else {"problem": "the PDF could not be read; a person has to look."}


def _packages() -> list[str]:
    """Return the folders where the child finds the PDF libraries: those of this process, and nothing else."""
    return [path for path in sys.path if path.endswith(("site-packages", "dist-packages"))]


def _at_first_sight(data: bytes) -> str:
    if not data:
        return "the file is empty (0 bytes). Export it again and hand in that file."
    if len(data) > limits.BYTES:
        return f"the file has {len(data) >> 20} MB; {limits.BYTES >> 20} MB are read. Make its pictures smaller."
    if b"%PDF-" not in data[:1024]:
        kind = "a Word document or a zip" if data.startswith(b"PK") else "something else"
        return f"this is no PDF but {kind}, whatever its name says. Export it as PDF."
    return ""
