"""Answers that speak to whoever grades them. They are pointed out and never obeyed."""

from __future__ import annotations

import re

_ORDERS = re.compile(
    r"\b(?:ignore|disregard|forget|vergiss|ignorier\w*)\b.{0,40}\b(?:instruction|prompt|rule|above|previous|anweisung|regel)\w*"
    r"|\b(?:give|award|assign|grant|gib)\b.{0,30}\b(?:full|maximum|max|all|top|volle)\b.{0,15}\b(?:mark|point|score|credit|grade|punkt)\w*"
    r"|\b(?:you are|you're|act as|du bist)\b.{0,30}\b(?:grader|assistant|ai|model|teacher|bewerter)\b"
    r"|\bas an ai\b|\bsystem\s*(?:prompt|message)\b|</?(?:system|assistant|user|instructions?)>|\[/?inst\]"
    r"|\bnote to (?:the )?(?:grader|ai|model|llm)\b|\b(?:mark|grade|score) this (?:as )?(?:correct|right|full)"
    r"|[A-Za-z0-9+/]{60,}={0,2}",
    re.IGNORECASE | re.DOTALL,
)


def orders(text: str) -> tuple[str, ...]:
    """Return the places where an answer speaks to whoever grades it; shown to the person, never acted upon."""
    return tuple(" ".join(match.group().split())[:160] for match in _ORDERS.finditer(text))


_SPEAKS = re.compile(
    r"\b(?:graders?|grading|rubric|examiner|language model|llm|full (?:marks?|points?|credit|score)|award(?:ed|s)?"
    r"|mark(?:ed)? (?:this|it|me)|(?:this|my) answer is (?:\w+ )?(?:correct|right|complete)|volle punktzahl"
    r"|bewert(?:e|en|er|ung))\b",
    re.IGNORECASE,
)


def speaks_to_the_grader(text: str) -> bool:
    """Say whether a short answer talks about its own grading: such an answer is read by a person."""
    return bool(_SPEAKS.search(text) or _ORDERS.search(text))
