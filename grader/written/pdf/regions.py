"""Where a formula stands on the pages of a PDF: the line that has most of its signs, with what is set above and below.

A PDF holds letters and places, no formulas: this finds what to show to a person, and judges nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from grader.model.outcome import Place
from grader.written.pdf.reading import Strip, ask_child


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
