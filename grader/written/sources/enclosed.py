"""Stretches between an opening and its closing mark, found in one pass: what nothing closes costs no time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

Span = tuple[re.Match[str], int, int]
"""The opening, and where the closing mark begins and ends."""
_NEVER = -1


def spans(text: str, opening: re.Pattern[str], closing: Callable[[re.Match[str]], str], longest: int) -> Iterator[Span]:
    """Yield every stretch from an opening to the next closing mark that begins at most `longest` characters on.

    `closing` gives the expression of the mark. Stretches do not overlap. Every closing mark is looked for once, so
    the time grows with the text's length alone.
    """
    coming: dict[str, tuple[int, int]] = {}
    at = 0
    for found in opening.finditer(text):
        if found.start() < at:
            continue
        mark = closing(found)
        begin, end = coming.get(mark, (0, 0))
        if 0 <= begin < found.end():
            close = re.compile(mark).search(text, found.end())
            begin, end = coming[mark] = (close.start(), close.end()) if close else (_NEVER, _NEVER)
        if 0 <= begin <= found.end() + longest:
            at = end
            yield found, begin, end


def without(text: str, opening: re.Pattern[str], closing: Callable[[re.Match[str]], str], longest: int) -> str:
    """Return `text` with a space in place of every such stretch."""
    kept: list[str] = []
    at = 0
    for found, _, end in spans(text, opening, closing, longest):
        kept += [text[at : found.start()], " "]
        at = end
    return "".join(kept) + text[at:]
