"""Lists and sets as students write them, and how well their items match a key with synonyms."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from difflib import SequenceMatcher

from grader.written.german import spelt_out
from grader.written.judged import Judged, for_a_person, quoted, right, wrong
from grader.written.key import ListKey, SetKey
from grader.written.neutral import denies, strange
from grader.written.sheet import Written
from grader.written.word_lists import small_words

MAX_LENGTH = 4000
MAX_ITEMS = 40
CLOSE = 0.82
"""From this likeness on two words are taken for one: it forgives a slip of the pen, not another word."""


def judge_list(key: ListKey, answer: Written) -> Judged:
    """Judge a list place by place; an item that nobody knows sends the list to a person."""
    items = _apart(_placed(answer, len(key.items)), key.items)
    met = met_in_order(items, key.items)
    asked = len(key.items)
    if sum(met) == asked and len(items) <= asked:
        return right(asked)
    unknown = [quoted(item, 40) for item in items if item and not any(named(item, names) for names in key.items)]
    if unknown:
        return for_a_person(f"Not known as a step: {', '.join(unknown[:3])}.", sum(met) / asked)
    said = [*items, *[""] * asked]
    empty = [
        f"{at} ({quoted(said[at - 1], 40) if said[at - 1] else 'empty'})"
        for at, there in enumerate(met, 1)
        if not there
    ]
    more = f" {len(items) - asked} more than asked for." if len(items) > asked else ""
    where = f" Not right: place {', '.join(empty)}." if empty else ""
    return wrong(f"{sum(met)} of {asked} places are right.{where}{more}", sum(met), asked)


def judge_set(key: SetKey, answer: Written) -> Judged:
    """Judge items in any order; where something unknown could still count, a person decides."""
    items = (
        tuple(str(item) for item in answer.data if item) if isinstance(answer.data, list) else read_items(answer.text)
    )
    asked = key.at_least or len(key.items)
    found = sum(met_in_any_order(items, key.items))
    if found < asked:
        text = re.sub(r"(?<=\w)\s*(?:→|->|⟶|–|\\to)\s*(?=\w)", "-", f" {' '.join(spelt_out(answer.text).split())} ")
        looked = key.items if asked == 1 else tuple(map(_by_themselves, key.items))
        held = [any(_stands(spelt_out(name), text) for name in names) for names in looked]
        names = (name for of in key.items for name in of)
        if asked == 1 or not strange(text, key, *key.words, *names, but=small_words()[1]):  # it may belong to any
            found = max(found, sum(held))
    denied = denies(answer.text)
    if found >= asked and not denied:
        return right(asked)
    if not items or denied or not all(known(item, key.items) for item in items):
        return for_a_person(
            f"Known: {found} of {asked}. {quoted(answer.text)}", None if denied else min(1.0, found / asked)
        )
    return wrong(f"{found} of {asked} found.", found, asked)


def _stands(name: str, text: str) -> bool:
    return name in text and re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text) is not None


def _by_themselves(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names that are no word of a longer one: “French” is half of a pair, and may be half of another."""
    parts = {word for name in names for word in re.split(r"[\s-]", name) if word != name}
    return tuple(name for name in names if name not in parts)


# ----------------------------------------------------------------------------------------------------- reading items

_NUMBERED = re.compile(r"(?:^|(?<=\s))\(?(?:[1-9]|[12]\d)\s?[.):](?=\s|[A-Za-z*_`])")
_BULLET = re.compile(r"^\s*(?:[-*•+–]|\[[ xX]?\])\s+")
_ARROW = re.compile(r"\s*(?:->|→|⇒|=>|⟶|>|\\to|\\rightarrow)\s*")
_THEN = re.compile(r"\s*[,;]?\s+(?:and\s+)?then\s+", re.IGNORECASE)
_LEAD = re.compile(
    r"^(?:and|then|first|second|third|fourth|fifth|sixth|next|finally|lastly|a|an|the)\b[,:]?\s+", re.IGNORECASE
)
_PLACE = re.compile(r"^\s*(?:step\s*|schritt\s*)?(\d{1,2})\s*[.):]?\s*(?=[^\d\s]|$)(.*)$", re.IGNORECASE)
"""A place that the sheet or the student numbered, with what stands there."""


def read_items(text: str) -> tuple[str, ...]:
    """Return the items of a list: numbered, bulleted, on lines, with arrows, commas or "then"."""
    text = text[:MAX_LENGTH].replace("\r", "\n").strip().strip("[]")
    text = re.sub(r"[^\S\n]+", " ", text)  # a run of blanks says nothing, and looking for what stands behind it is slow
    if len(_NUMBERED.findall(text)) > 1:
        parts = _NUMBERED.split(text)
    elif _ARROW.search(text):
        parts = _ARROW.split(text)
    elif "\n" in text or ";" in text:
        parts = text.split("\n" if "\n" in text else ";")
    else:
        parts = [part for chunk in _THEN.split(text) for part in re.split(r"\s*,\s*(?![^()]*\))", chunk)]
        if len(parts) > 1:
            parts[-1:] = re.split(r"^and\s+|\s+and\s+", parts[-1], maxsplit=1)
    bare = (
        re.sub(r"^[*_`\"'“”]+|[*_`\"'“”.;,]+$", "", _BULLET.sub("", part.strip()).strip()).strip() for part in parts
    )
    return tuple(item for each in bare if (item := _LEAD.sub("", each)))[:MAX_ITEMS]


def _placed(answer: Written, asked: int) -> tuple[str, ...]:
    """Return the items by place; numbers that the student wrote say the place, so that a gap stays a gap."""
    if isinstance(answer.data, dict | list):
        given = answer.data.values() if isinstance(answer.data, dict) else answer.data
        return tuple(str(item or "").strip() for item in given)
    lines = [line for line in answer.text.splitlines() if line.strip()]
    numbered = [match for line in lines if (match := _PLACE.match(line))]
    filled = [(int(match[1]), text) for match in numbered if (text := match[2].strip(" *_`.;,"))]
    places = dict(filled)
    if len(numbered) == len(lines) > 1 and len(filled) > 1 and len(places) == len(filled) and max(places) <= asked:
        return tuple(places.get(place, "") for place in range(1, max(places) + 1))
    said = [line for line in lines if not (match := _PLACE.match(line)) or match[2].strip(" _.")]
    text = said[0] if len(said) == 1 else answer.text
    inline = re.split(r"(?:^|(?<=\s))\d\s+(?=[^\W\d])", text.strip())
    if len(inline) == asked + 1 and not inline[0]:  # 1 self-attention 2 residual 3 norm …
        return tuple(item.strip(" ,;.") for item in inline[1:])
    return read_items(text)


def _apart(items: tuple[str, ...], keys: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Return the items with pairs such as “Add & Norm” as two, where the list has its asked length only so."""
    apart: list[str] = []
    for item in items:
        two = re.split(r"\s*(?:&|\+|/|,|\band\b|\bund\b)\s*", item)
        pair = len(two) == 2 and all(part and any(named(part, names) for names in keys) for part in two)  # noqa: PLR2004
        apart += two if pair else [item]
    return tuple(apart) if len(apart) == len(keys) else items


# ------------------------------------------------------------------------------------------------------ likeness

_FILLER = frozenset(
    {"a", "an", "the", "of", "layer", "sublayer", "block", "step", "sub", "operation", "module", "connection"}
)
_ENDING = re.compile(r"(?<=[a-z0-9]{3})(?:i[sz](?:ation|ing|ed|e)|ations?|ings?|ed|s)$")
_PLAIN = (
    "again another compute computes second first next input inputs position positions positionwise wise pointwise"
    " each every process processes processed apply applies applied around it its two self with output outputs to"
    " for then mechanism x over token tokens on per also one more network fully connected combine using by normalises"
)
_PLAIN_WORDS = frozenset(_ENDING.sub("", word) for word in _PLAIN.split())
"""Words that an item may have beside its name without becoming another step."""


def folded(item: str) -> list[str]:
    """Return the words of an item for comparison: no accents, marks, filler words or endings, in small letters."""
    text = unicodedata.normalize("NFKD", spelt_out(item))
    text = "".join(char for char in text if not unicodedata.combining(char))
    text = re.sub(r"\([^()]*\)", " ", text) if re.sub(r"\([^()]*\)", "", text).strip() else text
    words = re.findall(r"[a-z]+|\d+", text.replace("&", " and "))
    kept = [word for word in words if word not in _FILLER and word.removesuffix("s") not in _FILLER] or words
    return [_ENDING.sub("", word) for word in kept]


def alike(a: str, b: str) -> bool:
    """Say whether two items are one, whatever the order of their words."""
    words, others = folded(a), folded(b)
    if not words or not others:
        return False
    pairs = zip(sorted(words), sorted(others), strict=False)
    return "".join(words) == "".join(others) or (len(words) == len(others) and all(_one_word(*pair) for pair in pairs))


def _one_word(a: str, b: str) -> bool:
    """A slip of the pen keeps the first letter: encoder and decoder, sine and cosine are different words."""
    if a == b or a[0] != b[0] or min(len(a), len(b)) < 4:  # noqa: PLR2004 - short words have near neighbours
        return a == b
    first, second = sorted((a, b))  # the likeness depends on which goes first
    return SequenceMatcher(None, first, second, autojunk=False).ratio() >= CLOSE


def named(item: str, names: Sequence[str]) -> bool:
    """Say whether an item is one of ``names``, or holds one and beside it nothing but plain words and their like."""
    if known(item, [names]):
        return True
    while (bare := re.sub(r"\([^()]*\)", " ", item)) != item:
        item = bare
    said = folded(item.split(":")[0])
    wanted = [folded(name) for name in names]
    runs = (said[at : at + len(name)] == name for name in wanted for at in range(len(said)))
    plain = _PLAIN_WORDS.union(*wanted)
    return any(runs) and not denies(item) and all(word in plain for word in said)


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
