"""What words beside a formula mean: plain speech, a quantity, an operation, an axis, a kind of column."""

from __future__ import annotations

from functools import lru_cache

from grader.written.formula.folding import unicode_folded
from grader.written.formula.vocabulary import listed

_ENDINGS = ("'s", "s", "es", "d", "ed", "ing", "ly", "n", "en", "e", "em", "er", "t", "te", "ten", "st", "et")
_JOINTS = ("", "s", "n", "en", "es")
_SHORTEST_PART = 4
"""Letters of a part of a compound: Modell-breite, element-weise."""
PLAIN = "plain"


SAID = listed("beside.txt")
COPULAS = frozenset(SAID["copulas"]["all"])
_WHOLE: dict[str, str] = {}
_BEGUN: dict[str, str] = {}
for _name, _words in SAID["meanings"].items():
    for _form in {form for word in _words for form in (word, unicode_folded(word))}:
        (_BEGUN if _form.endswith("*") else _WHOLE)[_form.rstrip("*")] = _name
_BEGINNINGS = sorted(_BEGUN.items(), key=lambda item: -len(item[0]))


@lru_cache(maxsize=4096)
def meaning(word: str) -> frozenset[str]:
    """Return what a word in lower case means; nothing where it is not known. Compounds mean what their parts mean."""
    if word in _WHOLE:
        return frozenset({_WHOLE[word]})
    if "-" in word:
        parts = [meaning(part) for part in word.split("-") if len(part) > 1]
        return frozenset().union(*parts) if all(parts) else frozenset()
    for start, name in _BEGINNINGS:
        if word.startswith(start):
            rest = word.removeprefix(start)
            more = meaning(rest) if len(rest) >= _SHORTEST_PART else frozenset()
            return frozenset({name}) | (more - {PLAIN})
    for ending in _ENDINGS:
        stem = word.removesuffix(ending)
        if stem != word and len(stem) > 2 and _WHOLE.get(stem) == PLAIN:
            return frozenset({PLAIN})
    for at in range(_SHORTEST_PART, len(word) - _SHORTEST_PART + 1):
        for joint in _JOINTS:
            first = word[:at].removesuffix(joint) if joint else word[:at]
            if len(first) >= _SHORTEST_PART and first + joint == word[:at] and first in _WHOLE and meaning(word[at:]):
                return frozenset({_WHOLE[first]}) | meaning(word[at:])
    return frozenset()
