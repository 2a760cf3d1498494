"""Words that cannot stand beside each other in English: a sign that an answer's words are thrown together.

A heap of the right words says nothing, however well each of them fits. What is looked for hardly happens in a sentence,
not even in a hurried one: an article before a verb or a stop, two auxiliaries in a row, a sentence that ends in "the".
"""

from __future__ import annotations

import re

_SMALL = (
    "is|are|was|were|be|been|has|have|had|does|do|did|of|in|on|at|to|for|from|by|with|into|and|or|but|so|because|than"
    "|that|which|can|could|would|will|must|may|the|an?|it|they|we|there|its|their"
)
_VERB = "is|are|was|were|can|could|would|will"
_NO_ORDER = re.compile(
    r"\b(?!a and [a-z]\b|if and only if\b|into (?:and|or) out of\b)(?:"
    rf"\b(?:an?|the|its|their|our|your|every)\s+(?:(?:{_SMALL})(?![\w'-])|[.,;:!?]|$)"
    rf"|\b(?:of|into)\s+(?:{_VERB}|be|has|have|and|or|but|must|may|of|so|because|than)(?![\w'-])"
    r"|\b(?:and|or|but|than|if)\s+(?:(?:and|or|but|of|than)(?![\w'-])|[.;!?]|$)"
    rf"|\b(?:{_VERB})\s+(?:{_VERB})(?![\w'-])|\b(?:can|could|would|will)\s+of(?![\w'-])"  # they are of one length
    r"|\b(?:an?|the|of|and|its|their|into|than|every|because|or|but)\s*[.!?]?$)"
)


_LETTER = re.compile(
    r"\b((?:weight|score|vector|matrix|matrices|value|variable|scalar|entr(?:y|ie)|element|row|column|coefficient|number"
    r"|letter|input|word|token|factor|parameter|logit|term|where|let|if)s?(?:\s+of)?\s+)a(?=\s+(?:is|are|be|was|has|of)\b)"
)
"""The letter a as a name: “the weight a is large” holds no article."""


def in_no_order(text: str) -> bool:
    """Say whether words of a text (in lower case) stand beside each other as in no sentence."""
    return _NO_ORDER.search(_LETTER.sub(r"\1x", text)) is not None
