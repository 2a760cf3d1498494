"""Names of questions as students type them: read, taken for the one that is meant, or remarked on.

A name with a slip of the keyboard is taken where it can mean one question only and that has no other answer; all else
that looks like a name is pointed out, so that no answer gets lost without a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from grader.model.assignment import Section
from grader.written.judged import some_of
from grader.written.word_lists import listed

ID = r"[A-Za-z](?:[A-Za-z0-9 -]|\\?_){0,59}"
"""A question's name, however an editor has treated it."""
CLOSE, SURE = 0.75, 0.85
"""Likeness from which on a name is offered for one that is not known, and is taken for it."""
SHORT, LONG = 6, 8
"""Letters: shorter names are never taken for others; longer ones may stand without a mark's brackets."""
MOST = 8
"""Names that are listed."""
LONGEST = 200
"""Letters of a name or of a question's own words."""
PATIENCE = 500
"""Names that are not known and are compared with those that are: a sheet has no more, and a hostile file has."""


@dataclass(frozen=True)
class Names:
    """The questions of a sheet by name and by their own words."""

    ids: frozenset[str]
    titles: Mapping[str, str]
    found: dict[str, tuple[str, str]] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def of(cls, sections: Sequence[Section]) -> Names:
        """Return the names of all questions of ``sections``."""
        questions = [question for section in sections for question in section.questions]
        return cls(frozenset(q.id for q in questions), {slug(q.title): q.id for q in questions})

    def exact(self, raw: str) -> str:
        """Return the question of that name, whatever its letters' size and what stands between words; else nothing."""
        name = plain_id(raw)
        return name if name in self.ids else self.titles.get(slug(raw), "")

    def meant(self, raw: str) -> str:
        """Return the one question that a mistyped name can mean; empty where there is none, or more than one."""
        return self._close(raw)[0]

    def nearest(self, raw: str) -> str:
        """Return the name that is nearest to one that is not known; empty where none is."""
        return self._close(raw)[1]

    def _close(self, raw: str) -> tuple[str, str]:
        """Return the question that is meant, and the nearest one."""
        if raw not in self.found:
            if len(self.found) >= PATIENCE or len(raw) > LONGEST:
                return "", ""
            self.found[raw] = self._compared(slug(raw).replace("_", " ").split())
        return self.found[raw]

    def _compared(self, words: list[str]) -> tuple[str, str]:
        from difflib import get_close_matches

        near = ""
        for typed in ("".join(words), "".join(sorted(words))):
            if exact := self._spelt.get(typed, ""):
                return exact, exact
            close = get_close_matches(typed, self._spelt, n=MOST, cutoff=CLOSE)
            near = near or next((self._spelt[one] for one in close), "")
            sure = get_close_matches(typed, close, n=MOST, cutoff=SURE)
            same = {name for one in sure if _digits(name := self._spelt[one]) == _digits(typed)}
            if len(same) == 1 and len(typed) >= SHORT:
                return same.pop(), near
        return "", near

    @cached_property
    def _spelt(self) -> Mapping[str, str]:
        """The questions by their names, titles, and the names' words in the order of the alphabet, without spaces."""
        titles = {title.replace(" ", ""): name for title, name in self.titles.items()}
        ordered = {"".join(sorted(name.split("_"))): name for name in self.ids}
        return {**titles, **ordered, **{name.replace("_", ""): name for name in self.ids}}


class Typed(NamedTuple):
    """A name that is no question's, and where it stands. ``taken`` is the question that it was read as."""

    name: str
    place: str
    taken: str = ""
    answered: bool = False
    near: str = ""


def remarks(typed: Iterable[Typed]) -> list[str]:
    """Return what to say of names that are no questions': one line for each that is near to one, one for the rest."""
    said: list[str] = []
    far: dict[str, list[str]] = {}
    for one in typed:
        if one.taken and one.answered:
            said.append(f"{one.place}: {one.name} is no question of this sheet, and {one.taken} is answered elsewhere.")
        elif one.taken:
            said.append(f"{one.place}: {one.name} is no question of this sheet; it is read as {one.taken}.")
        elif one.near:
            said.append(f"{one.place}: {one.name} is no question of this sheet, and not read: is {one.near} meant?")
        elif plain_id(one.name) not in listed("header_names"):
            far.setdefault(one.place.partition(", ")[0], []).append(one.name)
    for place, names in far.items():
        shown = some_of(tuple(dict.fromkeys(names)), MOST)
        are = "are no questions" if len(names) > 1 else "is no question"
        said.append(f"{place}: {shown} {are} of this sheet, and not read.")
    return list(dict.fromkeys(said))


def _digits(name: str) -> list[str]:
    return re.findall(r"\d", name)


def plain_id(raw: str) -> str:
    """Return a name in small letters, its words joined by underscores, without an editor's backslashes."""
    return re.sub(r"[\s-]+", "_", raw.replace("\\", "").strip()).lower()


def slug(text: str) -> str:
    """Return the words of a text in small letters."""
    return " ".join(re.findall(r"\w+", text.lower()))
