"""Lists of words of plain speech and of the field, as they lie in written/words."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files


@lru_cache(maxsize=1)
def plain_words() -> frozenset[str]:
    """Return the words that say nothing about a topic."""
    return _words_of("plain_words.txt")


@lru_cache(maxsize=1)
def field_words() -> frozenset[str]:
    """Return the nouns of the field: a blank may hold them whatever its question is."""
    return _words_of("field_words.txt")


@lru_cache(maxsize=1)
def small_words() -> tuple[frozenset[str], frozenset[str]]:
    """Return the function words, and those of them that may turn what they stand beside."""
    words = _words_of("small_words.txt")
    return frozenset(word.rstrip("!") for word in words), frozenset(word[:-1] for word in words if word[-1] == "!")


def _words_of(name: str) -> frozenset[str]:
    text = (files("grader.written") / "words" / name).read_text(encoding="utf-8")
    return frozenset(word for line in text.splitlines() if not line.startswith("#") for word in line.split())
