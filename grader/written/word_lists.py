"""Lists of words of plain speech and of the field, as they lie in written/words."""

from __future__ import annotations

from functools import cache, lru_cache
from importlib.resources import files


@cache
def listed(name: str) -> frozenset[str]:
    """Return a list of words, such as ``plain_words``, which say nothing about a topic."""
    text = (files("grader.written") / "words" / f"{name}.txt").read_text(encoding="utf-8")
    return frozenset(word for line in text.splitlines() if not line.startswith("#") for word in line.split())


@lru_cache(maxsize=1)
def small_words() -> tuple[frozenset[str], frozenset[str]]:
    """Return the function words, and those of them that may turn what they stand beside."""
    words = listed("small_words")
    return frozenset(word.rstrip("!") for word in words), frozenset(word[:-1] for word in words if word[-1] == "!")


@lru_cache(maxsize=1)
def counted() -> tuple[frozenset[str], ...]:
    """Return the words that name the same things behind a count, a set each."""
    lines = (files("grader.written") / "words" / "counted.txt").read_text(encoding="utf-8").splitlines()
    return tuple(frozenset(line.split()) for line in lines if not line.startswith("#"))
