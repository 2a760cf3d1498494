"""Names of questions as students type them: read, taken for the one that is meant, or remarked on.

A name with a slip of the keyboard is taken where it can mean one question only and that has no other answer; all else
that looks like a name is pointed out, so that no answer gets lost without a word.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from grader.model.assignment import Section

ID = r"[A-Za-z](?:[A-Za-z0-9 -]|\\?_){0,59}"
"""A question's name, however an editor has treated it."""
CLOSE = 0.75
"""Likeness from which on a name is offered for one that is not known."""
SHORT, LONG = 6, 8
"""Letters: shorter names are never taken for others; from the longer one on two letters may be wrong instead of one."""
SHORT_LABEL = 4
"""The same for labels of a table, of which there are few."""
MOST = 8
"""Names that are listed."""
LONGEST = 200
"""Letters of a name or of a question's own words."""
PATIENCE = 500
"""Names that are not known and are compared with those that are: a sheet has no more, and a hostile file has."""
_HEADER = frozenset({
    "name", "names", "student", "student_name", "student_id", "author", "authors", "email", "e_mail", "date", "group",
    "team", "id", "course", "class", "title", "week", "assignment", "schema", "version", "format", "path", "timestamp",
    "submitted", "matriculation_number", "matrikelnummer", "matrikel", "vorname", "nachname", "datum", "gruppe",
    "note", "notes", "comment", "comments", "kommentar", "section", "score", "language", "semester", "university",
})  # fmt: skip


@dataclass(frozen=True)
class Names:
    """The questions of a sheet by name and by their own words."""

    ids: frozenset[str]
    titles: Mapping[str, str]
    compared: set[str] = field(default_factory=set, compare=False, repr=False)
    found: dict[str, str] = field(default_factory=dict, compare=False, repr=False)

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
        if not self._patient(raw):
            return ""
        if raw not in self.found:
            self.found[raw] = self._meant(raw)
        return self.found[raw]

    def _meant(self, raw: str) -> str:
        by_words = [one for one in self.ids if sorted(one.split("_")) == sorted(plain_id(raw).split("_"))]
        if len(by_words) == 1:
            return by_words[0]
        typed = slug(raw).replace("_", "").replace(" ", "")
        digits, most = re.findall(r"\d", typed), 2 if len(typed) >= LONG else 1 if len(typed) >= SHORT else 0
        found: dict[str, int] = {}
        for spelt, name in self._spelt:
            far = len(set(typed) ^ set(spelt)) > 2 * most  # letters that only one of them has
            if not far and re.findall(r"\d", spelt) == digits and (wrong := slips(typed, spelt, most)) <= most:
                found[name] = min(wrong, found.get(name, most))
        best = [name for name, wrong in found.items() if wrong == min(found.values())]
        return best[0] if len(best) == 1 else ""

    def nearest(self, raw: str) -> str:
        """Return the name that is nearest to one that is not known; empty where none is."""
        from difflib import get_close_matches

        close = get_close_matches(plain_id(raw), sorted(self.ids), n=1, cutoff=CLOSE) if self._patient(raw) else []
        return close[0] if close else ""

    def _patient(self, raw: str) -> bool:
        if len(self.compared) < PATIENCE:
            self.compared.add(raw)
        return raw in self.compared and len(raw) <= LONGEST

    @cached_property
    def _spelt(self) -> tuple[tuple[str, str], ...]:
        titles = [(title.replace(" ", ""), name) for title, name in self.titles.items()]
        return (*((name.replace("_", ""), name) for name in self.ids), *titles)


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
        elif plain_id(one.name) not in _HEADER:
            far.setdefault(one.place.partition(", ")[0], []).append(one.name)
    for place, names in far.items():
        listed = ", ".join(dict.fromkeys(names[:MOST])) + (
            f" and {len(names) - MOST} more" if len(names) > MOST else ""
        )
        are = "are no questions" if len(names) > 1 else "is no question"
        said.append(f"{place}: {listed} {are} of this sheet, and not read.")
    return list(dict.fromkeys(said))


def by_label(given: Mapping[str, Any], labels: Collection[str]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return what is given by the labels of a table, mistyped ones read as what they mean, and those of no row."""
    found = {label: value for label, value in given.items() if label in labels}
    strays: list[str] = []
    for typed, value in given.items():
        if typed in labels:
            continue
        most = 2 if len(typed) >= LONG else 1 if len(typed) >= SHORT_LABEL else 0
        near = [label for label in labels if label not in found and slips(typed, label, most) <= most]
        if len(near) == 1 and re.findall(r"\d", near[0]) == re.findall(r"\d", typed):
            found[near[0]] = value
        else:
            strays.append(typed)
    return found, tuple(strays)


def plain_id(raw: str) -> str:
    """Return a name in small letters, its words joined by underscores, without an editor's backslashes."""
    return re.sub(r"[\s-]+", "_", raw.replace("\\", "").strip()).lower()


def slug(text: str) -> str:
    """Return the words of a text in small letters."""
    return " ".join(re.findall(r"\w+", text.lower()))


def slips(first: str, second: str, most: int) -> int:
    """Return how many letters are wrong, missing, too many or swapped with a neighbour; ``most`` + 1 for any more."""
    if abs(len(first) - len(second)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(second) + 1))
    for i, letter in enumerate(first, 1):
        above, row = row, [i]
        for j, other in enumerate(second, 1):
            cost = min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == second[j - 2] and first[i - 2] == other:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        before = above
    return min(row[-1], most + 1)
