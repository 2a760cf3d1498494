"""Whose a file is that is only called somehow: an id, a user name or the words of a name in what it is called."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Protocol, TypeVar

from grader.classroom.entry import Entry
from grader.classroom.names import plain
from grader.classroom.words import FILES
from grader.intake import caps

_SHORTEST = 3
"""Signs of an id or a name that tell somebody: ``hw_1`` is nobody's."""


class _Person(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def ids(self) -> tuple[str, ...]: ...


P = TypeVar("P", bound=_Person)


def common_words(entries: Iterable[Entry]) -> frozenset[str]:
    """The words that half of the files have in their names: what they are about, not whose they are."""
    named = [entry for entry in entries if entry.named]
    count = Counter(word for entry in named for word in {*_words(entry.name)})
    return frozenset(word for word, number in count.items() if number >= max(3, len(named) / 2))


def in_words(title: str, people: Iterable[P], common: frozenset[str]) -> list[P]:
    """The people whom a file's name tells: by an id in it, by all words of a name, else by words of one name alone.

    >>> from collections import namedtuple
    >>> Person = namedtuple("Person", "name ids")
    >>> ann, bob = Person("Ann Lee", ("alee",)), Person("Bob O'Brien", ("7734",))
    >>> [one.name for one in in_words("hw1-7734", [ann, bob], frozenset())]
    ["Bob O'Brien"]
    >>> [one.name for one in in_words("Lee_Ann_hw", [ann, bob], frozenset())]
    ['Ann Lee']
    >>> [one.name for one in in_words("obrien", [ann, bob], frozenset())]
    ["Bob O'Brien"]
    """
    flat, people = plain(title), list(people)
    words = {word for word in _words(title) if not _of_work(word, common)}
    by_id = [(max(map(len, ids)), one) for one in people if (ids := _ids_in(flat, one, words, common))]
    if by_id:
        longest = max(length for length, _ in by_id)
        return [one for length, one in by_id if length == longest]
    names = [(one, {*_words(one.name)}) for one in people]
    if whole := [one for one, name in names if len(name) > 1 and name == words]:
        return whole
    if not words or max(map(len, words)) < _SHORTEST:
        return []
    part = [one for one, name in names if words <= name]
    return part if len(part) == 1 else []


def _of_work(word: str, common: frozenset[str]) -> bool:
    """Whether a word says nothing of whose a file is: what it is about, or a number of it (``hw1``, ``v2``)."""
    return word in common or word.rstrip("0123456789") in {*FILES["work"], ""}


def _ids_in(flat: str, person: _Person, words: Iterable[str], common: frozenset[str]) -> list[str]:
    """The ids of a person that stand in a text as words of their own, beside none that may be of another name."""
    found = []
    for known in {form for one in person.ids for form in (plain(one), plain(one).partition("@")[0])}:
        if len(known) < _SHORTEST or known not in flat or known in common:
            continue
        alone = re.search(rf"(?<![^\W_]){re.escape(known)}(?![^\W_])", flat)
        if alone and {*words} <= {*_words(known), *_words(person.name)}:
            found.append(known)
    return found


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", re.sub(r"['’]", "", plain(text)))


def joined(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """Files that were told by their names and are one person's are one hand-in, where only one of them holds code."""
    home: dict[str, int] = {}
    result: list[Entry] = []
    for entry in entries:
        at = home.get(entry.key) if entry.named else None
        if at is not None and not (_holds_code(entry) and _holds_code(result[at])):
            files = dict.fromkeys((*result[at].files, *entry.files))
            result[at] = replace(result[at], files=tuple(files), notes=(*result[at].notes, *entry.notes))
            continue
        if entry.named:
            home.setdefault(entry.key, len(result))
        result.append(entry)
    return tuple(result)


def _holds_code(entry: Entry) -> bool:
    return any(caps.kind_of(file.name) in {"python", "notebook", "archive"} for file in entry.files)
