"""The forms of words: which name a stretch of an answer has, the longest form first.

A thousand forms stand in a question's list, and an answer has twenty words: so the forms are looked up by their first
letters, and none is compiled that no answer asks for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import chain
from typing import NamedTuple

_ENDINGS = frozenset({"", "e", "es", "ed", "ing", "s"})
_REST = re.compile(r"\w*")
_OPENS = re.compile(r"(?<![\w^])")
_CLOSES = re.compile(r"(?![\w^])")
_GAP = re.compile(r"[\s-]+")
_EXPRESSION = "re/"
LONGEST = 16
"""Letters by which forms are looked up."""


def end_of(form: str, text: str, place: int) -> int | None:
    """Return where a form ends that begins at ``place``; None where it does not stand there.

    It is words as letters with what may follow them, `*` any ending, `~` a verb's, or nothing.
    """
    for number, (letters, ending) in enumerate(_words(form)):
        if number:
            gap = _GAP.match(text, place)
            if gap is None:
                return None
            place = gap.end()
        if not text.startswith(letters, place):
            return None
        place += len(letters)
        if ending:
            rest = _REST.match(text, place)
            if rest is None or (ending == "~" and rest[0] not in _ENDINGS):
                return None
            place = rest.end()
    return place if _CLOSES.match(text, place) else None


@cache  # the words of the shared list stand in every question
def _words(form: str) -> tuple[tuple[str, str], ...]:
    return tuple((word[:-1], word[-1]) if word[-1] in "*~" and len(word) > 1 else (word, "") for word in form.split())


class Forms(NamedTuple):
    """The forms of one question with their names: expressions, which go first, and the others by how they begin."""

    expressions: tuple[tuple[str, str], ...]
    begun: Mapping[str, Sequence[str]]
    names: Mapping[str, str]

    def at(self, text: str, place: int) -> tuple[str, int] | None:
        """Return the name of the form that stands at ``place``, and its end; those with more words go first."""
        for expression, name in self.expressions:
            if match := _compiled(expression).match(text, place):
                return name, match.end()
        if not _OPENS.match(text, place):
            return None  # within a word
        begun = (self.begun.get(text[place:end], ()) for end in range(place + 1, min(place + LONGEST, len(text)) + 1))
        for form in sorted(chain.from_iterable(begun), key=_longest_first):
            end = end_of(form, text, place)
            if end is not None:
                return self.names[form], end
        return None


def build_forms(names: Mapping[str, str]) -> Forms:
    """Build the table from forms with their names."""
    begun: dict[str, list[str]] = {}
    expressions: list[str] = []
    for form in names:
        if form.startswith(_EXPRESSION):
            expressions.append(form)
        else:
            begun.setdefault((form.partition(" ")[0].rstrip("*~") or form)[:LONGEST], []).append(form)
    first = sorted(expressions, key=_longest_first)
    return Forms(tuple((form.removeprefix(_EXPRESSION), names[form]) for form in first), begun, names)


def forms_in(text: str) -> Iterable[str]:
    """Yield the forms that stand behind a name, between commas; an expression is the whole line."""
    return [text] if text.startswith(_EXPRESSION) else [form.strip() for form in text.split(",")]


def _longest_first(form: str) -> tuple[int, int]:
    return -len(form.split()), -len(form)


@cache
def _compiled(expression: str) -> re.Pattern[str]:
    return re.compile(expression)
