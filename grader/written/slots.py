"""Slots: the words that an idea may be said with, looked for in an answer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True, slots=True)
class Slot:
    r"""Words of an idea, `dot product*|score*`: alternatives, `*` for any ending.

    `re:` makes an alternative, or a whole slot that begins with it, a plain expression. ``forms`` are the expressions
    of the alternatives, each behind letters that have to stand in the answer: most have no word in a given answer, and
    these are not compiled, which is what takes the time.
    """

    forms: tuple[tuple[str, str], ...]

    def search(self, text: str, start: int, end: int) -> re.Match[str] | None:
        """Find the first place in ``text[start:end]``."""
        return next(self.finditer(text, start, end), None)

    def finditer(self, text: str, start: int, end: int) -> Iterator[re.Match[str]]:
        """Find every place in ``text[start:end]``."""
        here = "|".join(form for stem, form in self.forms if stem in text)
        return _compiled(here).finditer(text, start, end) if here else iter(())


def slot_of(text: str) -> Slot:
    """Read a slot as a concept list writes it; raises nothing, a wrong expression is told at its first use."""
    parts = [text] if text.startswith("re:") else [part.strip() for part in _alternatives(text)]
    return Slot(tuple((_stem(part), _wording(part)) for part in parts))


_compiled = cache(re.compile)


def _stem(part: str) -> str:
    return "" if part.startswith("re:") else re.split(r"[* ]", part, maxsplit=1)[0]


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


def _wording(part: str) -> str:
    if part.startswith("re:"):
        return f"(?:{part[3:]})"
    inner = re.escape(part).replace(r"\*", r"\w*").replace(r"\ ", r"[\s-]+")
    return rf"(?<![\w-]){inner}(?!\w)"
