"""Slots: the words that an idea may be said with, looked for in an answer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True, slots=True)
class Slot:
    r"""Words of an idea, `dot product*|score*`: alternatives, `*` for any ending.

    `re:` makes an alternative, or a whole slot that begins with it, a plain expression. Most slots have no word in a
    given answer: these are not compiled, which is what takes the time. ``stems`` are the letters one of which has to
    stand in the answer; none where that cannot be told.
    """

    wording: str
    stems: tuple[str, ...]

    def search(self, text: str, start: int, end: int) -> re.Match[str] | None:
        """Find the first place in ``text[start:end]``."""
        return _compiled(self.wording).search(text, start, end) if self._may_stand_in(text) else None

    def finditer(self, text: str, start: int, end: int) -> Iterator[re.Match[str]]:
        """Find every place in ``text[start:end]``."""
        return _compiled(self.wording).finditer(text, start, end) if self._may_stand_in(text) else iter(())

    def _may_stand_in(self, text: str) -> bool:
        return not self.stems or any(stem in text for stem in self.stems)


def slot_of(text: str) -> Slot:
    """Read a slot as a concept list writes it; raises nothing, a wrong expression is told at its first use."""
    parts = [part.strip() for part in _alternatives(text)]
    plain = not text.startswith("re:") and all(part and not part.startswith(("re:", "*")) for part in parts)
    return Slot(text, tuple(re.split(r"[* ]", part, maxsplit=1)[0] for part in parts) if plain else ())


@cache
def _compiled(wording: str) -> re.Pattern[str]:
    if wording.startswith("re:"):
        return re.compile(wording[3:])
    return re.compile("|".join(_wording(part.strip()) for part in _alternatives(wording)))


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
