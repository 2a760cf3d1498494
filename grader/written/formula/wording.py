"""What the words beside a formula, or in place of one, say about how it may be judged."""

from __future__ import annotations

import re

_WIDTH = r"(?:d(?:_?\{?\\?[a-z]*\{?[a-z]*\}*)?|D|512)"
_HALF = rf"(?:{_WIDTH}\s*/\s*2|\\[td]?frac\s*\{{\s*{_WIDTH}\s*\}}\s*\{{\s*2\s*\}}|{_WIDTH}\s*//\s*2|255|256)"
_RANGE = r"(?:<|≤|\\leq?\b|\\lt\b|\.\.|…|\\[lc]?dots|\\in\b|∈|\bin\b|\bto\b|\brange\b)"
_PAIRS = re.compile(rf"\bpairs?\b|\bfrequenc(?:y|ies)\b|{_RANGE}[^\n;]{{0,20}}?{_HALF}", re.IGNORECASE)
_IN_WORDS = re.compile(
    r"\b(?:times|multiplied\s+by|divided\s+by|over\s+(?:the\s+)?(?:square\s+)?root|square\s+root\s+of|transposed"
    r"|to\s+the\s+(?:power|minus))\b",
    re.IGNORECASE,
)


def counts_pairs(source: str) -> bool:
    """Say whether the text tells that its index counts pairs of columns: in words, or as a range up to d/2."""
    return _PAIRS.search(source) is not None


def is_said_in_words(source: str) -> bool:
    """Say whether a plain text gives its operations in words, of which only pieces can be read as a formula."""
    return not re.search(r"[\\$]", source) and _IN_WORDS.search(source) is not None
