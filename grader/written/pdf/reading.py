"""Asks the child process about a PDF; whatever happens there becomes a sentence here.

A PDF holds letters and places, no formulas: for a formula the line is found that has most of its signs, with what is
set above and below, to be shown to a person. Nothing is judged by it.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from grader.model.outcome import Place
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


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a page, counted from 1: its text, and left, top, right, bottom as shares of the page."""

    page: int
    text: str
    box: tuple[float, float, float, float]


_SIGNS: Mapping[str, tuple[str, ...]] = {
    "attention": ("softmax", "attention(", "qk", "v", "=", "√"),
    "multi_head": ("concat", "multihead(", "head", "w", "="),
    "pe_sin": ("sin", "pe(", "10000", "pos", "2i", "="),
    "pe_cos": ("cos", "pe(", "10000", "pos", "2i+1", "="),
    "ffn": ("max(0", "ffn(", "w1", "b1", "w2", "="),
    "add_norm": ("layernorm(", "norm(", "x+", "sublayer(", "="),
    "noam": ("min(", "lrate", "warmup", "step", "="),
    "variance": ("var(", "var[", "d", "=", "σ"),
}
"""What a line may hold that is the formula, spaces aside; the first sign counts twice."""
_PROSE = re.compile(r"[^\W\d_]{4,}")
FEWEST = 3
"""Signs that tell a formula from a sentence on it."""
MOST_PAGES = 4
NEAR, AROUND = 0.9, 0.07
"""Lines' heights within which a line belongs to a formula; shares of the page that are shown around it."""


def found_at(kind: str, lines: Sequence[Line]) -> tuple[Line, ...]:
    """Return the lines of the region where the formula most likely stands; empty where nothing is like it."""
    scored = [(_score(kind, line.text), line) for line in lines]
    best, at = max(((score, -number) for number, (score, _) in enumerate(scored)), default=(0, 0))
    if best < FEWEST:
        return ()
    line = lines[-at]
    height = line.box[3] - line.box[1]
    beside = [other for other in lines if other.page == line.page and other is not line and _is_set(other.text)]
    near = [other for other in beside if _gap(line, other) <= NEAR * height]
    return (line, *near)


def _score(kind: str, text: str) -> float:
    flat = re.sub(r"\s", "", text).lower()
    signs = _SIGNS[kind]
    held = sum(sign in flat for sign in signs) + (signs[0] in flat)
    words = [word for word in _PROSE.findall(text.lower()) if not any(word in sign or sign in word for sign in signs)]
    return held - 0.5 * len(words) if signs[0] in flat else 0.0


def _is_set(text: str) -> bool:
    """Whether a line is a piece of a formula: hardly any words."""
    return len(_PROSE.findall(text)) <= 1


def _gap(line: Line, other: Line) -> float:
    return max(line.box[1] - other.box[3], other.box[1] - line.box[3], 0.0)


def shown(file: str, data: bytes, regions: Mapping[str, Sequence[Line]]) -> dict[str, Place]:
    """Return each region as a place, with a strip of its page; one look at the PDF for all of them."""
    strips: dict[str, Strip] = {}
    boxes: dict[str, tuple[float, float, float, float]] = {}
    for name, lines in regions.items():
        if not lines:
            continue
        left, top = min(line.box[0] for line in lines), min(line.box[1] for line in lines)
        right, bottom = max(line.box[2] for line in lines), max(line.box[3] for line in lines)
        above, below = max(0.0, top - AROUND), min(1.0, bottom + AROUND)
        strips[name] = (lines[0].page, above, below)
        tall = max(below - above, 1e-6)
        boxes[name] = (left, (top - above) / tall, right, (bottom - above) / tall)
    pairs = zip(strips, _pictures(data, tuple(strips.values())), strict=True)
    return {name: Place(file, strips[name][0], boxes[name], picture) for name, picture in pairs}


def whole_pages(file: str, data: bytes, numbers: Sequence[int]) -> tuple[Place, ...]:
    """Return pages, counted from 1, as places with their pictures; the first four of them."""
    first = numbers[:MOST_PAGES]
    pairs = zip(first, _pictures(data, tuple((number, 0.0, 1.0) for number in first)), strict=True)
    return tuple(Place(file, number, picture=picture) for number, picture in pairs if picture)


def _pictures(data: bytes, strips: tuple[Strip, ...]) -> list[str]:
    """Return the picture of each strip, empty where none could be made."""
    found = ask_child("strips", data, strips).get("strips", []) if strips else []
    return [*map(str, found), *[""] * (len(strips) - len(found))]
