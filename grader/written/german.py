"""Answers in German, in the English words of the field: what nobody knows stays as it is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_SHARE = 0.5
"""An answer of which at least so many words are known in German is read as German."""


@cache
def _table() -> tuple[Mapping[str, str], re.Pattern[str], frozenset[str]]:
    """Return the English words by German forms, what finds the forms, and the words in them."""
    text = (files("grader.written") / "words" / "german.txt").read_text("utf-8")
    lines = (line.partition(": ") for line in text.splitlines() if line and not line.startswith("#"))
    forms = {form.strip(): english for english, _, given in lines for form in given.split(",")}
    longest = sorted(forms, key=len, reverse=True)
    found = re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, longest))})(?![\w-])")
    return forms, found, frozenset(word for form in forms for word in _WORD.findall(form))


def in_english(text: str) -> str | None:
    """Return a German answer in English words, in their German order; None where it is in no German."""
    words = _WORD.findall(text.lower())
    forms, found, german = _table()
    if not words or sum(word in german for word in words) < _SHARE * len(words):
        return None
    return found.sub(lambda match: forms[match.group()], text.lower())
