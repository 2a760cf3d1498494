"""Passages that two texts share, word for word. Shown with both places; what they mean, a person decides.

The course's texts are kept as hashes of five words in a row, in order: enough to find a passage, not to read one.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from itertools import combinations
from typing import NamedTuple

GRAM = 5
HASH = 4
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_MATHS = re.compile(r"\$[^$\n]{1,400}\$|\S{0,60}[\\{}^_=]\S{0,200}")
"""A stretch of a formula: its words are the paper's names, nobody's wording."""
_QUOTED = re.compile(r"[“\"„»][^”\"“«]{3,1200}[”\"“«]")


class Passage(NamedTuple):
    """``words`` words in a row that a text shares with ``other``, where they begin with word number ``at``.

    ``start`` and ``end`` are character offsets in the text; ``theirs`` is the other passage where its text is at hand.
    """

    start: int
    end: int
    words: int
    other: str
    at: int
    theirs: str = ""


def grams(text: str, *, formulas: bool = True) -> tuple[list[tuple[int, int]], list[str]]:
    """Return the places of the words that are not quoted, and the hash of each five in a row.

    Without ``formulas``, what stands in a formula is no word.
    """
    own = _QUOTED.sub(_blank, text)
    if not formulas:
        own = _MATHS.sub(_blank, own)
    places = [match.span() for match in _WORD.finditer(own)]
    words = [text[a:b].lower().replace("’", "'") for a, b in places]
    hashes = [
        hashlib.blake2b(" ".join(words[at : at + GRAM]).encode(), digest_size=HASH).hexdigest()
        for at in range(max(0, len(words) - GRAM + 1))
    ]
    return places, hashes


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


_SMALL = re.compile(
    r"\b(?:the|an?|of|to|in|is|are|was|it|its|that|this|which|and|or|for|with|by|on|as|at|so|we|not|be|from|because"
    r"|der|die|das|den|dem|ein\w{0,2}|und|oder|ist|sind|wird|zu|von|mit|im|auf|für|als|nicht|wir|ich|es|sie)\b",
    re.IGNORECASE,
)
MOST_BETWEEN = 8


def is_prose(text: str) -> bool:
    """Whether a text is sentences and no formula: there the small words of a language are missing."""
    return MOST_BETWEEN * len(_SMALL.findall(text)) >= len(text.split())


def passages(text: str, others: Mapping[str, Sequence[str]], running: int) -> tuple[Passage, ...]:
    """Return what ``text`` shares with others, given as their hashes in order; at least ``running`` words in a row."""
    places, own = grams(text, formulas=False)
    where: dict[str, list[tuple[str, int]]] = {}
    for name, hashes in others.items():
        for at, value in enumerate(hashes):
            where.setdefault(value, []).append((name, at))
    found: list[Passage] = []
    at = 0
    while at < len(own):
        length, name, other = max(
            ((_run(own, at, others[n], a), n, a) for n, a in where.get(own[at], ())), default=(0, "", 0)
        )
        words = length + GRAM - 1
        if length and words >= running:
            found.append(Passage(places[at][0], places[at + words - 1][1], words, name, other + 1))
        at += max(1, length)
    return tuple(found)


def _run(own: Sequence[str], at: int, other: Sequence[str], start: int) -> int:
    length = 0
    while at + length < len(own) and start + length < len(other) and own[at + length] == other[start + length]:
        length += 1
    return length


def shared(texts: Mapping[str, str], running: int = 12) -> Iterator[tuple[str, str, tuple[Passage, ...]]]:
    """Yield each two of a class's texts that share passages, with both passages as they stand."""
    held = {name: frozenset(_read(text)[1]) for name, text in texts.items()}
    for first, second in combinations(sorted(texts), 2):
        alike = not held[first].isdisjoint(held[second])
        if alike and (found := shared_with(texts[first], {second: texts[second]}, running)):
            yield first, second, found


def shared_with(text: str, texts: Mapping[str, str], running: int) -> tuple[Passage, ...]:
    """Return what ``text`` shares with ``texts``, with the other passage as it stands."""
    read = {name: _read(other) for name, other in texts.items()}
    found = passages(text, {name: hashes for name, (_, hashes) in read.items()}, running)
    ends = ((read[one.other][0][one.at - 1], read[one.other][0][one.at + one.words - 2]) for one in found)
    return tuple(
        one._replace(theirs=texts[one.other][first[0] : last[1]])
        for one, (first, last) in zip(found, ends, strict=True)
    )


@lru_cache(maxsize=512)
def _read(text: str) -> tuple[tuple[tuple[int, int], ...], tuple[str, ...]]:
    places, hashes = grams(text)
    return tuple(places), tuple(hashes)


@lru_cache(maxsize=1)
def course() -> Mapping[str, tuple[str, ...]]:
    """Return the course's texts by name, as hashes in order."""
    stored = json.loads((files("grader.written") / "words" / "course.json").read_text(encoding="utf-8"))
    size = 2 * HASH
    return {
        name: tuple(packed[at : at + size] for at in range(0, len(packed), size)) for name, packed in stored.items()
    }
