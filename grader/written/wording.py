"""How right statements run: sequences of names with choices, matched against the names of an answer's words.

`a [b] (c|d e)` reads: a, then perhaps b, then c or d e; `[..]+` stands for any number and `(..)+` for once or more.
Where the order says nothing, a bag does: `a b|c / d e` reads a and one of b and c, in any order, among d and e.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple, TypeAlias

_PIECE = re.compile(r"\]\+|\)\+|[\[\]()|,]|\{\w+\}|\w+")


class Choice(NamedTuple):
    """One of several runs; it may be left out where ``optional``, and come again where ``many``."""

    options: tuple[Run, ...]
    optional: bool = False
    many: bool = False


Run: TypeAlias = tuple[str | Choice, ...]


class Bag(NamedTuple):
    """Words in any order: one of each of ``needed``, and no others than these and ``allowed``."""

    needed: tuple[frozenset[str], ...]
    allowed: frozenset[str]


LONGEST_BAG = 16
"""Words of one statement without an order: more make several claims."""
SMALL = frozenset({"it", "all", "by", "from"})
_ALWAYS = frozenset({"and", "with"}) | SMALL


def read_bag(text: str, known: frozenset[str], pieces: Mapping[str, frozenset[str]]) -> Bag:
    """Read the words of a bag; `{piece}` stands for one of its names. Raises ValueError for an unknown name."""
    first, _, rest = text.partition(" / ")
    needed = tuple(frozenset().union(*map(partial(_named, known, pieces), part.split("|"))) for part in first.split())
    allowed = frozenset().union(*map(partial(_named, known, pieces), rest.split()))
    return Bag(needed, allowed.union(*needed))


def _named(known: frozenset[str], pieces: Mapping[str, frozenset[str]], word: str) -> frozenset[str]:
    if word.startswith("{"):
        return pieces[word[1:-1]]
    if word == "," or word in known:
        return frozenset({word})
    raise ValueError(f"no form is given for {word!r}")


def names_in(text: str, pieces: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """Return all names of a run as it is written, with those of its pieces."""
    parts = _PIECE.findall(text)
    own = frozenset(part for part in parts if part[0] not in "[](){}|")
    return own.union(*(pieces[part[1:-1]] for part in parts if part[0] == "{"))


def read_run(text: str, known: frozenset[str], pieces: Mapping[str, Run]) -> Run:
    """Read a statement; names must be ``known``, `{piece}` must be in ``pieces``.

    Raises ValueError for another name, brackets that do not close, and a statement that may say nothing.
    """
    parts = iter(_PIECE.findall(text))
    options, closed = _options(parts, text, known, pieces)
    if closed:
        raise ValueError(f"a bracket closes that none opened: {text!r}")
    return options[0] if len(options) == 1 else (Choice(options),)


def _options(
    parts: Iterator[str], text: str, known: frozenset[str], pieces: Mapping[str, Run]
) -> tuple[tuple[Run, ...], str]:
    """Read up to the bracket that closes; return the runs between bars, and that bracket (empty at the end)."""
    options: list[Run] = []
    run: list[str | Choice] = []
    for part in parts:
        if part == "|":
            options.append(tuple(run))
            run = []
        elif part in {"(", "["}:
            inner, closed = _options(parts, text, known, pieces)
            if closed[:1] != {"(": ")", "[": "]"}[part]:
                raise ValueError(f"a bracket is not closed: {text!r}")
            run.append(Choice(inner, part == "[", closed.endswith("+")))
        elif part[0] in ")]":
            return (*options, tuple(run)), part
        elif part[0] == "{":
            run.extend(pieces[part[1:-1]])
        elif part == "," or part in known:
            run.append(part)
        else:
            raise ValueError(f"no form is given for {part!r} in {text!r}")
    return (*options, tuple(run)), ""


def ends(run: Run | Bag, words: Sequence[str], start: int) -> frozenset[int]:
    """Return the places behind the words, from ``start`` on, that the whole run reads."""
    if isinstance(run, Bag):
        return frozenset(_filled(run, words, start))
    return frozenset(_after(run, words, {start}))


def _filled(bag: Bag, words: Sequence[str], start: int) -> Iterator[int]:
    """Yield the places up to which the words fill a bag."""
    open_needs = list(bag.needed)
    end = min(start + LONGEST_BAG, len(words))
    for place in range(start, end + 1):
        if not open_needs:
            yield place
        if place == end or (words[place] not in bag.allowed and words[place] not in _ALWAYS):
            return
        open_needs = [need for need in open_needs if words[place] not in need]


def _after(run: Run, words: Sequence[str], places: set[int]) -> set[int]:
    for item in run:
        if isinstance(item, str):
            places = {place + 1 for place in places if place < len(words) and words[place] == item}
        else:
            places = _chosen(item, words, places)
        if not places:
            break
    return places


def _chosen(choice: Choice, words: Sequence[str], places: set[int]) -> set[int]:
    reached = set(places) if choice.optional else set()
    fresh = places
    while fresh:
        came = set().union(*(_after(option, words, fresh) for option in choice.options))
        fresh = came - reached if choice.many else set()
        reached |= came
    return reached
