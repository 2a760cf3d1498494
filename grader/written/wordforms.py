"""The forms of words: which name a stretch of an answer has, the longest form first.

A thousand forms stand in a question's list, and an answer has twenty words: so the forms are looked up by the letter
they begin with, and none is compiled that no answer asks for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from grader.written.word_lists import field_words, plain_words

_ENDINGS = frozenset({"", "e", "es", "ed", "ing", "s"})
_COMMON_ENDINGS = frozenset({"s", "d", "e", "es", "ed", "r", "er", "ing", "ion", "ions", "ly", "al", "ally"})
_REST = re.compile(r"\w*")
_OPENS = re.compile(r"(?<![\w^])")
_CLOSES = re.compile(r"(?![\w^])")
_GAP = re.compile(r"[\s-]+")
_EXPRESSION = "re/"


@dataclass(frozen=True, slots=True)
class Form:
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
            self.read[letter] = tuple(Form(names[form], _words(form)) for form in sorted(names, key=_longest_first))
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


@cache
def turning_words() -> tuple[frozenset[str], tuple[str, ...]]:
    """Return the words that may turn a statement round, and the beginnings of more."""
    text = (files("grader.written") / "words" / "turning_words.txt").read_text("utf-8")
    words = " ".join(line for line in text.splitlines() if not line.startswith("#")).split()
    return frozenset(word for word in words if word[-1] != "*"), tuple(word[:-1] for word in words if word[-1] == "*")


def may_be_passed_over(word: str) -> bool:
    """Say whether an unknown word is plain speech: none of the field, and none that turns things round."""
    words, beginnings = turning_words()
    return len(word) >= SHORTEST_STRANGE and word.isalpha() and word not in words and not word.startswith(beginnings)


SHORTEST_STRANGE = 3
SHORTEST_SLIP = 8
"""Letters: a shorter word with another letter is soon another word."""


def slip_of(forms: Forms, word: str) -> str | None:
    """Return the name of the only long form that an unknown word is a slip of the keyboard of; None where none is.

    One letter is another, too many or left out, or two stand in each other's place; the first letter is
    right, and the word is so long that it is hardly another one.
    """
    if len(word) < SHORTEST_SLIP or not word.isalpha() or word in plain_words() or word in field_words():
        return None
    near = {
        form.name: form
        for form in forms.beginning(word[0])
        if len(form.words) == 1 and len(form.words[0][0]) >= SHORTEST_SLIP - 1 and _near(form.words[0], word)
    }
    return next(iter(near)) if len(near) == 1 else None


def _near(form: tuple[str, str], word: str) -> bool:
    letters, ending = form
    if not ending:
        return abs(len(letters) - len(word)) <= 1 and _one_slip(letters, word)
    cuts = (len(letters) - 1, len(letters), len(letters) + 1)
    rests = ("", *(_ENDINGS if ending == "~" else _COMMON_ENDINGS))
    return any(word[cut:] in rests and _one_slip(letters, word[:cut]) for cut in cuts)


def _one_slip(meant: str, typed: str) -> bool:
    """Say whether two words are one letter apart, or two neighbours exchanged."""
    same = next((at for at, (a, b) in enumerate(zip(meant, typed, strict=False)) if a != b), None)
    if same is None:
        return abs(len(meant) - len(typed)) == 1
    a, b = meant[same:], typed[same:]
    return a[1:] == b[1:] or a[1:] == b or a == b[1:] or (a[:2] == b[1::-1] and a[2:] == b[2:] and len(b) > 1)


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
