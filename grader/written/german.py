"""Answers in German, in the English words of the field: what nobody knows stays as it is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

_WORD = re.compile(r"[^\W\d_]+")
_SHARE = 0.2
"""An answer of which at least so many words are known in German is read as German, or as both mixed."""
_SHORTEST, _LONGEST = 4, 40
"""Letters of either part of a compound, and of the whole."""
_ENDING = re.compile(r"(?<=[^\W\d_]{4})(?:e[nmrs]?|n|s)$")
"""What declension adds to a word; “eindeutige” and “eindeutigen” are one word."""


@cache
def _table() -> tuple[Mapping[str, str], int]:
    """Return the English words by German forms, all words without their endings, and the most words of a form."""
    text = (files("grader.written") / "words" / "german.txt").read_text("utf-8")
    lines = [line.partition(": ") for line in text.splitlines() if line and not line.startswith("#")]
    forms = {form.strip(): english for english, _, given in lines for form in given.split(",")}
    found = {" ".join(map(_stem, _WORD.findall(form))): english for form, english in reversed(forms.items())}
    return {**found, **forms}, max(len(form.split()) for form in forms)


def _stem(word: str) -> str:
    return _ENDING.sub("", word)


def _compound(word: str, known: Mapping[str, str]) -> str | None:
    """Return a compound in English, part by part: “Eingabesequenz”, “Originaldaten”; None where a part is unknown."""
    for at in range(_SHORTEST, len(word) - _SHORTEST + 1) if len(word) <= _LONGEST else ():
        first, second = (known.get(part) or known.get(_stem(part)) for part in (word[:at], word[at:]))
        if first and second:
            return f"{first} {second}"
    return None


def in_english(text: str) -> str | None:
    """Return a German answer in English words, in their German order; None where it is in no German."""
    low = text.lower()
    words = list(_WORD.finditer(low))
    known, longest = _table()
    out: list[str] = []
    at, end, met = 0, 0, 0
    while at < len(words):
        for count in range(min(longest, len(words) - at), 0, -1):
            run = words[at : at + count]
            said = low[run[0].start() : run[-1].end()]
            stems = " ".join(_stem(word[0]) for word in run)
            english = known.get(said) or (known.get(stems) if re.fullmatch(r"[\w\s-]+", said) else None)
            english = english or (_compound(said, known) if count == 1 else None)
            if english:
                out += [low[end : run[0].start()], english]
                at, end, met = at + count, run[-1].end(), met + count
                break
        else:
            at += 1
            out.append(low[end : words[at - 1].end()])
            end = words[at - 1].end()
    return "".join((*out, low[end:])) if words and met >= _SHARE * len(words) else None
