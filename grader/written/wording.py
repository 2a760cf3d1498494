"""How right statements run: sequences of names with choices, matched against the names of an answer's words.

`a [b] (c|d e)` reads: a, then perhaps b, then c or d e; `[..]+` stands for any number and `(..)+` for once or more.
Where the order says nothing, a bag does: `a b|c / d e` reads a and one of b and c, in any order, among d and e.

Which name a stretch of an answer has, the forms of words say, the longest first. A thousand forms stand in a question's
list, and an answer has twenty words: so they are looked up by their first letters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import chain
from typing import NamedTuple, TypeAlias

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
    shared: Forms | None = None

    def at(self, text: str, place: int) -> tuple[str, int] | None:
        """Return the name of the form that stands at ``place``, and its end; those with more words go first."""
        for expression, name in self.expressions:
            if match := _compiled(expression).match(text, place):
                return name, match.end()
        if not _OPENS.match(text, place):
            return None  # within a word
        tables = [forms for forms in (self, self.shared) if forms is not None]
        starts = [text[place:end] for end in range(place + 1, min(place + LONGEST, len(text)) + 1)]
        begun = [form for start in starts for forms in tables for form in forms.begun.get(start, ())]
        for form in sorted(begun, key=_longest_first):
            end = end_of(form, text, place)
            if end is not None:
                return next(forms.names[form] for forms in tables if form in forms.names), end
        return None


def build_forms(names: Mapping[str, str], shared: Forms | None = None) -> Forms:
    """Build the table from forms with their names; those of a question go before ``shared`` ones."""
    begun: dict[str, list[str]] = {}
    for form in names:
        if not form.startswith(_EXPRESSION):
            begun.setdefault((form.partition(" ")[0].rstrip("*~") or form)[:LONGEST], []).append(form)
    first = sorted((form for form in names if form.startswith(_EXPRESSION)), key=_longest_first)
    expressions = tuple((form.removeprefix(_EXPRESSION), names[form]) for form in first)
    return Forms((*expressions, *(shared.expressions if shared else ())), begun, names, shared)


def forms_in(text: str) -> Iterable[str]:
    """Yield the forms that stand behind a name, between commas; an expression is the whole line."""
    return [text] if text.startswith(_EXPRESSION) else [form.strip() for form in text.split(",")]


def _longest_first(form: str) -> tuple[int, int]:
    return -len(form.split()), -len(form)


@cache
def _compiled(expression: str) -> re.Pattern[str]:
    return re.compile(expression)


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


def beginnings(run: Run | Bag) -> frozenset[str]:
    """Return the names that a statement may begin with."""
    if isinstance(run, Bag):
        return run.allowed | SMALL
    found: set[str] = set()
    for item in run:
        if isinstance(item, str):
            return frozenset({*found, item})
        found.update(chain.from_iterable(map(beginnings, item.options)))
        if not ends((item,), (), 0):
            break
    return frozenset(found)


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
