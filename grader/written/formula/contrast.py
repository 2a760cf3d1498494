"""Sentences that set the paper's formula against another: “Most write …, but the paper has …”."""

from __future__ import annotations

import re

_OTHER = re.compile(
    r"\b(?:today|nowadays|most(?: people)?|modern|often|usually|without|instead|unlike|would be|plain"
    r"|BERT|GPT(?:-\d)?|LLaMA|T5|pre-?(?:norm|LN)|heute|heutzutage|meist|oft|ohne|statt|waere|wäre|moderne)\b",
    re.IGNORECASE,
)
_PAPER = re.compile(
    r"(?:[,;.:]|\s)\s?(?:(?:but|while|whereas|however|aber|jedoch|doch|dagegen|hingegen)\s*,?\s+)?"
    r"(?:(?:in|im)\s+)?(?:(?:the|this|our|das|dieses|diesem)\s+)?(?:original\s+|\d{4}\s+)?"
    r"(?:paper|article|Paper|Artikel|Vaswani et al\.)(?:\s+(?:of|from|von)\s+\d{4})?,?\s+"
    r"(?:(?:it|they|we|es|sie)\s+)?(?:is|are|has|have|uses?|writes?|takes?|says?|gives?|puts?|reads?|steht|ist|hat|nimmt|schreibt|verwendet|benutzt)\b"
    r"(?:\s+(?:it|them|es))?(?:\s+(?:as|als|in(?:stead)?))?(?:[^:=()\n]{0,24}:)?\s*",
)


def papers_own(text: str) -> str:
    """Return what a text says the paper has, where it has set another formula against it before; else the text."""
    found = [match for match in _PAPER.finditer(text) if _OTHER.search(text[: match.start() + 1])]
    if not found:
        return text
    own = text[found[-1].end() :]
    after = re.search(r"\b(?:but|however|although|instead|wrong|aber|jedoch|falsch|better|besser|rather)\b", own)
    balanced = own.count("$") % 2 == 0 and all(own.count(a) == own.count(b) for a, b in ("()", "{}", "[]"))
    formula = re.search(r"[(\\^]", own)
    return own if balanced and formula and not after else text
