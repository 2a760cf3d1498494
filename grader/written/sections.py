"""What stands under a heading of a report, however the heading was made: by a style, in bold, as the first words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from grader.written.paper import Block

LONGEST = 4000
"""Characters of a section; a title above the whole report that matches is passed over for a heading inside."""
LONGEST_HEADING = 8
"""Words of a paragraph that is a heading by its looks alone."""


_LABEL = re.compile(r"\W{0,3}(?:(?:[^\W_]+\s){0,5}?[^\W_]+\s?[:–—]|[^\W_]+\.)\s+(?=\S)")
"""First words that name what follows: “What was hard for me: …”, “Reflection. …”."""


def section_text(blocks: Sequence[Block], heading: re.Pattern[str]) -> str:
    """Return the prose below a heading that matches, with what stands under its subheadings; empty where none is.

    Where no heading matches, a short paragraph on its own, or the first words of one, are taken for it.
    """
    found = [
        _below(blocks, at)
        for at, block in enumerate(blocks)
        if block.kind == "heading" and heading.search(block.text.lower())
    ]
    fitting = [text for text in found if text and len(text) <= LONGEST] or [text for text in found if text]
    return fitting[0] if fitting else _by_looks(blocks, heading)


def _below(blocks: Sequence[Block], at: int) -> str:
    """Return the prose from a heading to the next of its level; without levels, to the next."""
    level, texts = level_of(blocks[at]), []
    for block in blocks[at + 1 :]:
        if block.kind == "heading" and not (level and level_of(block) > level):
            break
        if block.kind == "text":
            texts.append(block.text)
    return "\n".join(texts)


def level_of(heading: Block) -> int:
    """Return the level of a heading, 1 for a section; 0 where nothing tells it."""
    if heading.form.isdigit():
        return int(heading.form)
    number = re.match(r"\d{1,2}((?:\.\d{1,2})*)[.)]?\s", heading.text)
    return 1 + number[1].count(".") if number else 0


def _by_looks(blocks: Sequence[Block], heading: re.Pattern[str]) -> str:
    for at, block in enumerate(blocks):
        if block.kind != "text":
            continue
        match = heading.search(block.text.lower())
        if match and _is_short(block.text):
            texts: list[str] = []
            for other in blocks[at + 1 :]:
                if other.kind == "heading" or (other.kind == "text" and _is_short(other.text)):
                    break
                texts += [other.text] if other.kind == "text" else []
            if texts:
                return "\n".join(texts)
        label = _LABEL.match(block.text)
        if label and heading.search(label[0].lower()) and len(block.text) > len(label[0]) + LONGEST_HEADING:
            return block.text[label.end() :]
    return ""


def _is_short(text: str) -> bool:
    return len(text.split()) <= LONGEST_HEADING and text[-1:] not in ".,;!?"
