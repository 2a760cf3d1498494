"""What words beside a formula mean: plain speech, a quantity, an operation, an axis, a kind of column."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files

from grader.written.formula.folding import unicode_folded

_ENDINGS = ("'s", "s", "es", "d", "ed", "ing", "ly", "n", "en", "e", "em", "er", "t", "te", "ten", "st", "et")
_JOINTS = ("", "s", "n", "en", "es")
_SHORTEST_PART = 4
"""Letters of a part of a compound: Modell-breite, element-weise."""
PLAIN = "plain"


@lru_cache(maxsize=1)
def _vocabulary() -> tuple[Mapping[str, str], tuple[tuple[str, str], ...]]:
    """Return the meanings of words, and of the beginnings of words, longest first."""
    text = files("grader.written.formula").joinpath("beside_words.txt").read_text(encoding="utf-8")
    name = ""
    whole: dict[str, str] = {}
    begun: dict[str, str] = {}
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        head, colon, words = line.partition(": ")
        name = head if colon else name
        for word in (words if colon else line).split():
            for form in {word, unicode_folded(word)}:
                (begun if form.endswith("*") else whole)[form.rstrip("*")] = name
    return whole, tuple(sorted(begun.items(), key=lambda item: -len(item[0])))


@lru_cache(maxsize=4096)
def meaning(word: str) -> frozenset[str]:
    """Return what a word in lower case means; nothing where it is not known. Compounds mean what their parts mean."""
    whole, begun = _vocabulary()
    if word in whole:
        return frozenset({whole[word]})
    if "-" in word:
        parts = [meaning(part) for part in word.split("-") if len(part) > 1]
        return frozenset().union(*parts) if all(parts) else frozenset()
    for start, name in begun:
        if word.startswith(start):
            rest = word.removeprefix(start)
            more = meaning(rest) if len(rest) >= _SHORTEST_PART else frozenset()
            return frozenset({name}) | (more - {PLAIN})
    for ending in _ENDINGS:
        stem = word.removesuffix(ending)
        if stem != word and len(stem) > 2 and whole.get(stem) == PLAIN:
            return frozenset({PLAIN})
    for at in range(_SHORTEST_PART, len(word) - _SHORTEST_PART + 1):
        for joint in _JOINTS:
            first = word[:at].removesuffix(joint) if joint else word[:at]
            if len(first) >= _SHORTEST_PART and first + joint == word[:at] and first in whole and meaning(word[at:]):
                return frozenset({whole[first]}) | meaning(word[at:])
    return frozenset()
