"""The forms of words: which name a stretch of an answer has, the longest form first.

A thousand forms stand in a question's list, and an answer has twenty words: so the forms are looked up by the letter
they begin with, and none is compiled that no answer asks for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

_ENDINGS = frozenset({"", "e", "es", "ed", "ing", "s"})
_REST = re.compile(r"\w*")
_OPENS = re.compile(r"(?<![\w^])")
_CLOSES = re.compile(r"(?![\w^])")
_GAP = re.compile(r"[\s-]+")
_EXPRESSION = "re/"


class Form(NamedTuple):
    """A form of a name: words as letters with what may follow them, `*` any ending, `~` a verb's, or nothing."""

    name: str
    words: tuple[tuple[str, str], ...]

    def end(self, text: str, place: int) -> int | None:
        """Return where the form ends that begins at ``place``; None where it does not stand there."""
        for number, (letters, ending) in enumerate(self.words):
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


@dataclass(frozen=True, slots=True)
class Forms:
    """The forms of one question with their names: expressions, which go first, and the others by their first letter.

    Those of a letter are read when the first word begins with it.
    """

    expressions: tuple[tuple[str, str], ...]
    by_start: Mapping[str, Mapping[str, str]]
    read: dict[str, tuple[Form, ...]] = field(default_factory=dict)

    def beginning(self, letter: str) -> tuple[Form, ...]:
        """Return the forms that begin with a letter: those with more words go first, then the longer ones."""
        if letter not in self.read:
            names = self.by_start.get(letter, {})
            self.read[letter] = tuple(form_of(form, names[form]) for form in sorted(names, key=_longest_first))
        return self.read[letter]

    def at(self, text: str, place: int) -> tuple[str, int] | None:
        """Return the name of the first form that stands at ``place``, and its end; None where there is none."""
        for expression, name in self.expressions:
            if match := _compiled(expression).match(text, place):
                return name, match.end()
        if not _OPENS.match(text, place):
            return None  # within a word
        for form in self.beginning(text[place : place + 1]):
            end = form.end(text, place)
            if end is not None:
                return form.name, end
        return None


def form_of(text: str, name: str = "") -> Form:
    """Return a form from how lists write it: `dot product*`."""
    return Form(name, _words(text))


def build_forms(names: Mapping[str, str]) -> Forms:
    """Build the table from forms with their names."""
    by_start: dict[str, dict[str, str]] = {}
    for form, name in names.items():
        by_start.setdefault(_EXPRESSION if form.startswith(_EXPRESSION) else form[0], {})[form] = name
    expressions = by_start.pop(_EXPRESSION, {})
    return Forms(
        tuple((form.removeprefix(_EXPRESSION), expressions[form]) for form in sorted(expressions, key=_longest_first)),
        by_start,
    )


def forms_in(text: str) -> Iterable[str]:
    """Yield the forms that stand behind a name, between commas; an expression is the whole line."""
    return [text] if text.startswith(_EXPRESSION) else [form.strip() for form in text.split(",")]


def _longest_first(form: str) -> tuple[int, int]:
    return -len(form.split()), -len(form)


@cache  # the words of the shared list stand in every question
def _words(form: str) -> tuple[tuple[str, str], ...]:
    return tuple((word[:-1], word[-1]) if word[-1] in "*~" and len(word) > 1 else (word, "") for word in form.split())


@cache
def _compiled(expression: str) -> re.Pattern[str]:
    return re.compile(expression)
