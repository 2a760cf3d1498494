"""Lists as students write them, in order or not, and how well their items match a key with synonyms."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from difflib import SequenceMatcher

MAX_LENGTH = 4000
MAX_ITEMS = 40
CLOSE = 0.82
"""From this likeness on two words are taken for one: it forgives a slip of the pen, not another word."""

_NUMBERED = re.compile(r"(?:^|(?<=\s))\(?(?:[1-9]|[12]\d)\s?[.):](?=\s|[A-Za-z*_`])")
_BULLET = re.compile(r"^\s*(?:[-*•+–]|\[[ xX]?\])\s+")
_ARROW = re.compile(r"\s*(?:->|→|⇒|=>|⟶|>|\\to|\\rightarrow)\s*")
_THEN = re.compile(r"\s*[,;]?\s+(?:and\s+)?then\s+", re.IGNORECASE)
_LEAD = re.compile(
    r"^(?:and|then|first|second|third|fourth|fifth|sixth|next|finally|lastly|a|an|the)\b[,:]?\s+", re.IGNORECASE
)
_FILLER = frozenset(
    {"a", "an", "the", "of", "layer", "sublayer", "block", "step", "sub", "operation", "module", "connection"},
)


def read_items(text: str) -> tuple[str, ...]:
    """Return the items of a list: numbered, bulleted, on lines, with arrows, commas or "then"."""
    text = text[:MAX_LENGTH].replace("\r", "\n").strip().strip("[]")
    if len(_NUMBERED.findall(text)) > 1:
        parts = _NUMBERED.split(text)
    elif _ARROW.search(text):
        parts = _ARROW.split(text)
    elif "\n" in text:
        parts = text.split("\n")
    elif ";" in text:
        parts = text.split(";")
    else:
        parts = [part for chunk in _THEN.split(text) for part in re.split(r"\s*,\s*(?![^()]*\))", chunk)]
        if len(parts) > 1:
            parts[-1:] = re.split(r"^and\s+|\s+and\s+", parts[-1], maxsplit=1)
    items = []
    for part in parts:
        item = _BULLET.sub("", part.strip())
        item = re.sub(r"^[*_`\"'“”]+|[*_`\"'“”.;,]+$", "", item.strip()).strip()
        item = _LEAD.sub("", item)
        if item:
            items.append(item)
    return tuple(items[:MAX_ITEMS])


def folded(item: str) -> str:
    """Return an item for comparison: lower case, no accents, marks or filler words, words without endings."""
    text = unicodedata.normalize("NFKD", item.lower())
    text = "".join(char for char in text if not unicodedata.combining(char))
    text = re.sub(r"\([^()]*\)", " ", text) if re.sub(r"\([^()]*\)", "", text).strip() else text
    words = re.findall(r"[a-z]+|\d+", text.replace("&", " and "))
    kept = [word for word in words if word not in _FILLER and word.removesuffix("s") not in _FILLER] or words
    return " ".join(_stem(word) for word in kept)


_ENDING = re.compile(r"(?<=[a-z0-9]{3})(?:i[sz](?:ation|ing|ed|e)|ations?|ings?|ed|s)$")


def _stem(word: str) -> str:
    return _ENDING.sub("", word)


def alike(a: str, b: str) -> bool:
    """Say whether two items are one, whatever the order of their words."""
    words, others = sorted(folded(a).split()), sorted(folded(b).split())
    same = bool(words) and "".join(folded(a).split()) == "".join(folded(b).split())
    return same or (bool(words) and len(words) == len(others) and all(map(_one_word, words, others)))


def _one_word(a: str, b: str) -> bool:
    """A slip of the pen keeps the first letter: encoder and decoder, sine and cosine are different words."""
    if a == b or a[0] != b[0] or min(len(a), len(b)) < 4:  # noqa: PLR2004 - short words have near neighbours
        return a == b
    first, second = sorted((a, b))  # the likeness depends on which goes first
    return SequenceMatcher(None, first, second, autojunk=False).ratio() >= CLOSE


_PLAIN = (
    "again another compute computes second first next input inputs position positions positionwise wise pointwise"
    " each every process processes processed apply applies applied around it its two self with output outputs to"
    " for then mechanism x over token tokens on per also one more network fully connected combine using by normalises"
)
_PLAIN_WORDS = frozenset(map(_stem, _PLAIN.split()))
"""Words that an item may have beside its name without becoming another step."""
_DENIED = re.compile(r"\b(?:no|not|without|instead|before|after|kein\w*|ohne)\b")


def named(item: str, names: Sequence[str]) -> bool:
    """Say whether an item is one of ``names``, or holds one and beside it nothing but plain words and their like."""
    if any(alike(item, name) for name in names):
        return True
    while (bare := re.sub(r"\([^()]*\)", " ", item)) != item:
        item = bare
    said = folded(item.split(":")[0]).split()
    known = {word for name in names for word in folded(name).split()}
    held = any(_holds(said, folded(name).split()) for name in names)
    return held and not _DENIED.search(item.lower()) and all(word in known or word in _PLAIN_WORDS for word in said)


def _holds(words: Sequence[str], part: Sequence[str]) -> bool:
    return any(list(words[at : at + len(part)]) == list(part) for at in range(len(words) - len(part) + 1))


def met_in_order(items: Sequence[str], keys: Sequence[Sequence[str]]) -> tuple[bool, ...]:
    """Say of each place whether the item there is one of its names."""
    return tuple(at < len(items) and named(items[at], names) for at, names in enumerate(keys))


def met_in_any_order(items: Sequence[str], keys: Sequence[Sequence[str]]) -> tuple[bool, ...]:
    """Say of each key whether an item is one of its names; one item meets one key and none counts twice."""
    open_keys = dict(enumerate(keys))
    for item in items:
        open_keys.pop(next((at for at, names in open_keys.items() if known(item, [names])), -1), None)
    return tuple(at not in open_keys for at in range(len(keys)))


def known(item: str, keys: Sequence[Sequence[str]]) -> bool:
    """Say whether an item is a name of any key."""
    return any(alike(item, name) for names in keys for name in names)
