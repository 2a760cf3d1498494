"""Slots: the words that an idea may be said with, looked for in an answer."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from grader.written.wordforms import form_of


class Stretch(NamedTuple):
    """Where a text says a slot."""

    start: int
    end: int


class Slot(NamedTuple):
    """Words of an idea, `dot product*|score*`: alternatives, `*` for any ending.

    `re:` makes an alternative, or a whole slot that begins with it, a plain expression. Most alternatives have no word
    in a given answer, and are not read any further.
    """

    alternatives: tuple[str, ...]

    def places(self, text: str, start: int, end: int) -> list[Stretch]:
        """Find every place in ``text[start:end]``, in their order."""
        found: list[Stretch] = []
        for said in self.alternatives:
            if said.startswith("re:"):
                found += [Stretch(*match.span()) for match in _compiled(said[3:]).finditer(text, start, end)]
                continue
            letters = said.split(maxsplit=1)[0].rstrip("*")
            at = text.find(letters, start, end)
            form = form_of(said) if at >= 0 else None
            while form and at >= 0:
                stop = form.end(text, at) if at == start or not (text[at - 1].isalnum() or text[at - 1] in "_-") else 0
                found += [Stretch(at, stop)] if stop and stop <= end else []
                at = text.find(letters, at + 1, end)
        return sorted(found, key=lambda place: (place.start, -place.end))


def slot_of(text: str) -> Slot:
    """Read a slot as a concept list writes it; raises nothing, a wrong expression is told at its first use."""
    return Slot((text,) if text.startswith("re:") else tuple(part.strip() for part in _alternatives(text)))


_compiled = cache(re.compile)


def _alternatives(text: str) -> list[str]:
    """Cut at the bars outside brackets."""
    parts, depth = [""], 0
    for char in text:
        depth += (char == "(") - (char == ")")
        if char == "|" and depth <= 0:
            parts.append("")
        else:
            parts[-1] += char
    return parts
