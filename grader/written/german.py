"""Answers in German, or with some French, in the English words of the field: what nobody knows stays as it is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from grader.written.word_lists import listed, small_words

_WORD = re.compile(r"[^\W\d_]+")
_SHARE = 0.2
"""An answer of which at least so many words are known is read so, or as both mixed."""
_SHORTEST, _LONGEST = 4, 40
"""Letters of either part of a compound, and of the whole."""
_ENDING = re.compile(r"(?<=[^\W\d_]{4})(?:e[nmrs]?|n|s)$")
"""What declension adds to a word; “eindeutige” and “eindeutigen” are one word."""


@cache
def _table() -> tuple[Mapping[str, str], int]:
    """Return the English words by foreign forms, all words without their endings, and the most words of a form."""
    texts = [
        spelt_out((files("grader.written") / "words" / f"{name}.txt").read_text("utf-8"))
        for name in ("german", "french")
    ]
    lines = [line.partition(": ") for text in texts for line in text.splitlines() if line and line[0] != "#"]
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


_SPELT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})


def spelt_out(text: str) -> str:
    """Return a text in small letters with the umlauts that many keyboards lack spelt out: für as fuer."""
    return text.lower().translate(_SPELT)


@cache
def _english() -> frozenset[str]:
    return listed("plain_words") | listed("field_words") | small_words()[0]


def in_english(text: str) -> str | None:
    """Return a foreign answer in English words, in their own order; None where it holds no word of the tables.

    Forms that are English words as well, such as “die” and “also”, are read so only where many words are foreign.
    """
    low = spelt_out(text)
    words = list(_WORD.finditer(low))
    foreign = sum(word[0] not in _english() and _known(word[0]) is not None for word in words)
    mostly = foreign >= _SHARE * len(words)
    out: list[str] = []
    at, end, met = 0, 0, False
    while at < len(words):
        for count in range(min(_table()[1], len(words) - at), 0, -1):
            run = words[at : at + count]
            said = low[run[0].start() : run[-1].end()]
            english = _known(said) if mostly or not _english().issuperset(said.split()) else None
            if english:
                out += [low[end : run[0].start()], english]
                at, end, met = at + count, run[-1].end(), True
                break
        else:
            at += 1
            out.append(low[end : words[at - 1].end()])
            end = words[at - 1].end()
    return "".join((*out, low[end:])) if met else None


def _known(said: str) -> str | None:
    """Return what a form means: one of the tables, whatever its endings, or a compound of known ones."""
    known = _table()[0]
    if said in known or not re.fullmatch(r"[\w\s-]+", said):
        return known.get(said)
    stems = " ".join(map(_stem, _WORD.findall(said)))
    return known.get(stems) or (None if " " in said else _compound(said, known))
