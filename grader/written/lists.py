"""Lists as students write them, in order or not, and how well their items match a key with synonyms."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

MAX_LENGTH = 4000
MAX_ITEMS = 40
CLOSE = 82.0
"""From this likeness (0 to 100) on two items are taken for one: it forgives a slip of the pen, not another word."""

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


def _stem(word: str) -> str:
    for ending in (
        "isation",
        "ization",
        "ising",
        "izing",
        "ised",
        "ized",
        "ise",
        "ize",
        "ations",
        "ation",
        "ings",
        "ing",
        "ed",
        "s",
    ):
        if word.endswith(ending) and len(word) - len(ending) >= 3:  # noqa: PLR2004 - a stem keeps three letters
            return word[: -len(ending)]
    return word


def likeness(a: str, b: str) -> float:
    """Return how alike two items are, 0 to 100, whatever the order of their words."""
    x, y = folded(a), folded(b)
    if not x or not y:
        return 0.0
    if x.replace(" ", "") == y.replace(" ", ""):
        return 100.0
    words, others = sorted(x.split()), sorted(y.split())
    if len(words) != len(others):
        return 0.0
    return 100.0 * min(_word_likeness(a, b) for a, b in zip(words, others, strict=True))


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
    if any(likeness(item, name) >= CLOSE for name in names):
        return True
    while (bare := re.sub(r"\([^()]*\)", " ", item)) != item:
        item = bare
    said = folded(item.split(":")[0]).split()
    known = {word for name in names for word in folded(name).split()}
    held = any(_holds(said, folded(name).split()) for name in names)
    return held and not _DENIED.search(item.lower()) and all(word in known or word in _PLAIN_WORDS for word in said)


def _holds(words: Sequence[str], part: Sequence[str]) -> bool:
    return any(list(words[at : at + len(part)]) == list(part) for at in range(len(words) - len(part) + 1))


def _word_likeness(a: str, b: str) -> float:
    """A slip of the pen keeps the first letter: encoder and decoder, sine and cosine are different words."""
    if a == b:
        return 1.0
    if a[0] != b[0] or min(len(a), len(b)) < 4:  # noqa: PLR2004 - short words have near neighbours
        return 0.0
    return SequenceMatcher(None, a, b, autojunk=False).ratio()


def best(item: str, keys: Sequence[Sequence[str]]) -> int | None:
    """Return which key an item means, or None where none or two come equally close."""
    scores = [max((likeness(item, name) for name in names), default=0.0) for names in keys]
    if not scores or max(scores) < CLOSE:
        return None
    top = max(scores)
    near = [number for number, score in enumerate(scores) if score >= top - 1e-9]
    return near[0] if len({tuple(keys[number]) for number in near}) == 1 else None


@dataclass(frozen=True, slots=True)
class Matched:
    """How a list meets its key: per key whether it is met, and the items that are no key at all."""

    met: tuple[bool, ...]
    strange: tuple[str, ...]

    @property
    def count(self) -> int:
        """How many keys are met."""
        return sum(self.met)


def match_ordered(items: Sequence[str], keys: Sequence[Sequence[str]]) -> Matched:
    """Compare place by place; `keys` holds the accepted names of each place."""
    met = tuple(at < len(items) and named(items[at], names) for at, names in enumerate(keys))
    return Matched(met, tuple(item for item in items if not _known(item, keys)))


def match_set(items: Sequence[str], keys: Sequence[Sequence[str]]) -> Matched:
    """Compare without regard to order; one item meets one key and none counts twice."""
    open_keys = set(range(len(keys)))
    for item in items:
        ranked = sorted(
            ((max((likeness(item, name) for name in keys[at]), default=0.0), -at) for at in open_keys), reverse=True
        )
        if ranked and ranked[0][0] >= CLOSE:
            open_keys.discard(-ranked[0][1])
    met = tuple(at not in open_keys for at in range(len(keys)))
    return Matched(met, tuple(item for item in items if not _known(item, keys)))


def _known(item: str, keys: Sequence[Sequence[str]]) -> bool:
    return any(likeness(item, name) >= CLOSE for names in keys for name in names)
