"""Asks the child process about a PDF; whatever happens there becomes a sentence here."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from grader.sandbox.confined import Bounds, confined, python

BYTES, PAGES = 20 << 20, 40
"""What a PDF may be."""
MEMORY, SECONDS, OUTPUT = 1 << 30, 20, 8 << 20
"""What reading it may take."""
Question = Literal["fields", "pages", "strips"]
Strip = tuple[int, float, float]
"""A page, counted from 1, and where a strip of it begins and ends, as shares of its height from above."""
_CHILD = str(Path(__file__).with_name("child.py"))
_MUCH = "reading the PDF took more memory or time than allowed; it may be a bomb. A person has to look."


def ask_child(question: Question, data: bytes, strips: Sequence[Strip] = ()) -> dict[str, Any]:
    """Return the child's answer about ``data``; ``problem`` says in one sentence why there is none.

    The child is confined: it has limited memory, time and output, no network, and reads the PDF libraries alone.
    """
    problem = _at_first_sight(data)
    if problem:
        return {"problem": problem}
    bounds = json.dumps({"pages": PAGES, "strips": strips})
    packages = [path for path in sys.path if path.endswith(("site-packages", "dist-packages"))]
    command = python(_CHILD, question, bounds, *packages)
    ended = confined(command, data, (), Bounds(SECONDS, MEMORY, OUTPUT))
    if ended.status == "timeout":
        return {"problem": f"reading the PDF took longer than {SECONDS} seconds; a person has to look."}
    if ended.status != "done":
        return {"problem": _MUCH}
    try:
        answer = json.loads(ended.output)
    except ValueError:
        answer = None
    return answer if isinstance(answer, dict) else {"problem": "the PDF could not be read; a person has to look."}


def _at_first_sight(data: bytes) -> str:
    if not data:
        return "the file is empty (0 bytes). Export it again and hand in that file."
    if len(data) > BYTES:
        return f"the file has {len(data) >> 20} MB; {BYTES >> 20} MB are read. Make its pictures smaller."
    if b"%PDF-" not in data[:1024]:
        kind = "a Word document or a zip" if data.startswith(b"PK") else "something else"
        return f"this is no PDF but {kind}, whatever its name says. Export it as PDF."
    return ""
