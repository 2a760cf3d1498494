"""Lists and sets as students write them, and how well their items match a key with synonyms."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from grader.written.german import spelt_out
from grader.written.judged import Judged, for_a_person, quoted, right, wrong
from grader.written.key import ListKey, QuestionFile, SetKey
from grader.written.neutral import denies, strange
from grader.written.plain_data import flat
from grader.written.sheet import Written
from grader.written.word_lists import listed, small_words

MAX_LENGTH = 4000
MAX_ITEMS = 40


def judge_list(key: ListKey, answer: Written) -> Judged:
    """Judge a list place by place; an item that nobody knows sends the list to a person."""
    items = _apart(_placed(answer, len(key.items)), key)
    met = [at < len(items) and named(items[at], names, key) for at, names in enumerate(key.items)]
    asked = len(key.items)
    if sum(met) == asked and len(items) <= asked:
        return right(asked)
    unknown = [quoted(item, 40) for item in items if item and not any(named(item, names, key) for names in key.items)]
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
    """Judge names in any order; where something unknown could still count, a person decides.

    A name that is a word of a longer one does not count: "French" is half of a pair, and may be half of another.
    """
    text = " ".join((answer.text or flat(answer.data))[:MAX_LENGTH].split())
    said = folded(_ARROW.sub("-", text))
    asked = key.at_least or len(key.items)
    counting = key.items if asked == 1 else tuple(map(_by_themselves, key.items))
    found = sum(any(stands(name, said) for name in names) for names in counting)
    every = (name for names in key.items for name in names)
    unknown = strange(text, key, *key.words, *every, but=small_words()[1]) if asked > 1 or not found else []
    denied = denies(text)
    if found >= asked and not denied and not unknown:
        return right(asked)
    if not found or denied or unknown:
        told = f"Known: {found} of {asked}. {quoted(text)}"
        return for_a_person(told, None if denied else min(1.0, found / asked))
    return wrong(f"{found} of {asked} found.", found, asked)


def _by_themselves(names: Sequence[str]) -> tuple[str, ...]:
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
    return read_items(text)


def _apart(items: tuple[str, ...], key: ListKey) -> tuple[str, ...]:
    """Return the items with pairs such as “Add & Norm” as two, where the list has its asked length only so."""
    apart: list[str] = []
    for item in items:
        two = re.split(r"\s*(?:&|\+|/|,|\band\b|\bund\b)\s*", item)
        pair = all(part and any(named(part, names, key) for names in key.items) for part in two)
        apart += two if pair else [item]
    return tuple(apart) if len(apart) == len(key.items) else items


# ------------------------------------------------------------------------------------------------------------- names

_ENDING = re.compile(r"(?<=[a-z0-9]{3})(?:i[sz](?:ation|ing|ed|e)|ations?|ings?|ed|s)$")


def folded(text: str) -> list[str]:
    """Return the words of a text for comparison: in small letters, without accents and endings."""
    plain = unicodedata.normalize("NFKD", spelt_out(text).replace("&", " and "))
    words = re.findall(r"[a-z]+|\d+", "".join(char for char in plain if not unicodedata.combining(char)))
    return [_ENDING.sub("", word) for word in words]


def stands(name: str, words: Sequence[str]) -> bool:
    """Whether a name stands among folded words."""
    own = folded(name)
    return any(words[at : at + len(own)] == own for at in range(len(words)))


@lru_cache(maxsize=128)
def _plain(asked: str, names: tuple[str, ...]) -> frozenset[str]:
    small, turning = small_words()
    return frozenset(folded(" ".join((asked, *listed("beside_items"), *names, *(small - turning)))))


def named(item: str, names: Sequence[str], key: QuestionFile) -> bool:
    """Say whether an item holds one of ``names``, and beside it nothing but the question's words and plain ones."""
    plain = _plain(f"{key.title} {key.ask}", tuple(names))
    bare = item.split(":", 1)[0]
    while (inner := re.sub(r"\([^()]*\)", " ", bare)) != bare:
        bare = inner
    told = [folded(text) for text in (item, bare)]
    return not denies(item) and any(
        plain.issuperset(said) and any(stands(name, said) for name in names) for said in told
    )
