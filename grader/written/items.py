"""Lists and sets against their keys."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from grader.written.judged import Judged, for_a_person, quoted, right, wrong
from grader.written.key import ListKey, SetKey
from grader.written.lists import known, met_in_any_order, met_in_order, named, read_items
from grader.written.neutral import strange
from grader.written.sheet import Written
from grader.written.word_lists import small_words

_LEFT_EMPTY = re.compile(r"\s*\d{1,2}\s*[.):]?\s*[_.]*\s*")
"""A number that the sheet prints, with nothing behind it."""
_NUMBERED = re.compile(r"^\s*(?:step\s*|schritt\s*)?(\d{1,2})\s*[.):]\s*(.*)$", re.IGNORECASE)


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
    places = [
        f"{place} ({quoted(items[place - 1], 40) if place <= len(items) and items[place - 1] else 'empty'})"
        for place, there in enumerate(met, 1)
        if not there
    ]
    more = f" {len(items) - asked} more than asked for." if len(items) > asked else ""
    where = f" Not right: place {', '.join(places)}." if places else ""
    return wrong(f"{sum(met)} of {asked} places are right.{where}{more}", sum(met), asked)


def _apart(items: tuple[str, ...], keys: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Return the items with pairs such as “Add & Norm” as two, where the list has its asked length only so."""
    apart: list[str] = []
    for item in items:
        two = re.split(r"\s*(?:&|\+|/|,|\band\b|\bund\b)\s*", item)
        pair = len(two) == 2 and all(any(named(part, names) for names in keys) for part in two if part)  # noqa: PLR2004
        apart += two if pair and all(two) else [item]
    return tuple(apart) if len(apart) == len(keys) else items


def _placed(answer: Written, asked: int) -> tuple[str, ...]:
    """Return the items by place; numbers that the student wrote say the place, so that a gap stays a gap."""
    if isinstance(answer.data, list):
        return tuple(str(item or "").strip() for item in answer.data)
    if isinstance(answer.data, dict):
        return tuple(str(item or "").strip() for item in answer.data.values())
    said = [line for line in answer.text.splitlines() if line.strip() and not _LEFT_EMPTY.fullmatch(line)]
    if len(said) == 1:
        answer = replace(answer, text=said[0])
    numbered = [match for line in answer.text.splitlines() if (match := _NUMBERED.match(line))]
    if len(numbered) > 1 and len(numbered) == len([line for line in answer.text.splitlines() if line.strip()]):
        filled = [(int(match[1]), text) for match in numbered if (text := match[2].strip(" *_`.;,"))]
        places = dict(filled)
        if places and len(places) == len(filled) and max(places) <= asked:
            return tuple(places.get(place, "") for place in range(1, max(places) + 1))
    inline = re.split(r"(?:^|(?<=\s))\d\s+(?=[^\W\d])", answer.text.strip())
    if len(inline) == asked + 1 and not inline[0]:  # 1 self-attention 2 residual 3 norm …
        return tuple(item.strip(" ,;.") for item in inline[1:])
    return read_items(answer.text)


def judge_set(key: SetKey, answer: Written) -> Judged:
    """Judge items in any order; where something unknown could still count, a person decides."""
    items = (
        tuple(str(item) for item in answer.data if item) if isinstance(answer.data, list) else read_items(answer.text)
    )
    asked = key.at_least or len(key.items)
    found = sum(met_in_any_order(items, key.items))
    if found < asked:
        text = re.sub(r"(?<=\w)\s*(?:→|->|⟶|–|\\to)\s*(?=\w)", "-", f" {' '.join(answer.text.lower().split())} ")
        looked = key.items if asked == 1 else tuple(map(_by_themselves, key.items))
        held = [
            any(re.search(rf"(?<![\w-]){re.escape(name.lower())}(?![\w-])", text) for name in names) for names in looked
        ]
        names = (name for of in key.items for name in of)
        if asked == 1 or not strange(text, key, *key.words, *names, but=small_words()[1]):  # it may belong to any
            found = max(found, sum(held))
    if found >= asked and not _denied(answer.text):
        return right(asked)
    if not items or _denied(answer.text) or not all(known(item, key.items) for item in items):
        share = None if _denied(answer.text) else min(1.0, found / asked)
        return for_a_person(f"Known: {found} of {asked}. {quoted(answer.text)}", share)
    return wrong(f"{found} of {asked} found.", found, asked)


def _by_themselves(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names that are no word of a longer one: “French” is half of a pair, and may be half of another."""
    return tuple(
        name for name in names if not any(name != other and name in re.split(r"[\s-]", other) for other in names)
    )


def _denied(text: str) -> bool:
    return re.search(r"\b(?:not|no|none|never|cannot|can't|nothing|nicht|kein\w*)\b", text.lower()) is not None
