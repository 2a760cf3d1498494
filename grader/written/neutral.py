"""Words that leave an answer what it is: its question's own, and small ones that turn nothing round."""

from __future__ import annotations

import re
from functools import cache

from grader.written.german import in_english, spelt_out
from grader.written.key import QuestionFile
from grader.written.word_lists import listed, small_words

_REASON = re.compile(
    r"(?<=\S)[\s,;:.(–—-]+(?:because|since|as each|as every|weil|denn)\b.*$", re.IGNORECASE | re.DOTALL
)
SHORTEST = 3
"""Letters: what has fewer is a name or a small word."""


def words_of(text: str) -> list[str]:
    """Return the words of a text in small letters."""
    return re.findall(r"[^\W\d_]+", spelt_out(text).replace("’", "'").replace("'", ""))


def without_reason(text: str) -> str:
    """Return an answer without the reason that it gives for itself."""
    return _REASON.sub("", text)


@cache
def _denial() -> re.Pattern[str]:
    words = sorted(listed("denials"))
    return re.compile(rf"\b(?:{'|'.join(word.replace('*', '[a-z]*') for word in words)})\b")


def denies(text: str) -> bool:
    """Whether a text holds a word that may turn it round."""
    return _denial().search(spelt_out(text).replace("’", "'")) is not None


def strange(
    text: str, key: QuestionFile, *known: str, but: frozenset[str] = frozenset(), shortest: int = SHORTEST
) -> list[str]:
    """Return the words that neither the question, nor ``known``, nor plain speech has; German ones by their meaning.

    A word has at least ``shortest`` letters. Of the small words, those that may turn what they stand beside count as
    well, ``but`` for those given.
    """
    small, turning = small_words()
    turning -= but
    own = (frozenset(words_of(f"{key.title} {key.ask}")) - turning).union(*map(words_of, known))
    passed = own | (small - turning)

    def stands_out(word: str) -> bool:
        if {word, word.removesuffix("s")} & passed or (len(word) < shortest and word not in turning):
            return False
        return word in turning or word.removesuffix("ly") not in own

    found = [word for word in dict.fromkeys(words_of(text)) if stands_out(word)]
    said = in_english(text) if found else None
    return [word for word in dict.fromkeys(words_of(said)) if stands_out(word)] if said else found
