"""A number against its key."""

from __future__ import annotations

import re

from grader.written.judged import Judged, as_in_handout, for_a_person, quoted, right, wrong
from grader.written.key import NumberKey
from grader.written.numbers import Number, Unclear, agrees, read_number
from grader.written.sheet import Written

_OTHER_UNITS = frozenset(
    {"second", "minute", "hour", "percent", "head", "layer", "gpu", "parameter", "word", "million", "billion"}
)


def judge_number(key: NumberKey, answer: Written) -> Judged:
    """Judge a number by its value; two numbers, or none, go to a person."""
    if key.between and (ends := _range(answer.text)):
        low, high = key.between
        if all(low <= end <= high for end in ends):
            return right()
    found = read_number(answer.text)
    if isinstance(found, Unclear):
        return for_a_person(f"{quoted(answer.text)}: {found.reason}")
    accepted = [value for text in (key.value, *key.also) if (value := _value(text)) is not None]
    if any(agrees(found, value, key.tolerance) for value in accepted):
        strange = _strange_unit(key, found)
        return for_a_person(f"The number is right; “{strange}” is not what was counted.", 1.0) if strange else right()
    if key.between:
        low, high = key.between
        return right() if low <= found.value <= high else for_a_person(f"{quoted(answer.text)} is an unusual choice.")
    for index, printed in enumerate(key.handout):
        if any(agrees(found, value, key.tolerance) for text in printed.values if (value := _value(text)) is not None):
            return as_in_handout(key, index)
    slip = next(
        (
            s
            for s in key.slips
            if any(agrees(found, v, key.tolerance) for t in s.values if (v := _value(t)) is not None)
        ),
        None,
    )
    return wrong(f"You wrote {quoted(answer.text)}.", slip=slip)


def _value(text: str) -> float | None:
    found = read_number(text)
    return found.value if isinstance(found, Number) else None


def _range(text: str) -> tuple[float, float] | None:
    """Return the ends of ``8-16``, ``8 to 16``, ``8 or 16``."""
    match = re.fullmatch(r"\D*(\d+)\s*(?:-|–|—|to|or|bis|oder|\.\.\.?|/|and|,)\s*(\d+)\D*", text.strip().lower())
    return (float(match[1]), float(match[2])) if match else None


def _strange_unit(key: NumberKey, found: Number) -> str:
    """Return the unit where it is another one than the key's; words beside a known unit do not matter."""
    known = {word for unit in key.unit for word in unit.lower().split()}
    if not found.unit or not known or found.times:
        return ""
    words = re.findall(r"[^\W\d_]+", found.unit.lower())
    fits = any(word in known or word.rstrip("s") in known for word in words)
    return "" if fits or not {word.rstrip("s") for word in words} & _OTHER_UNITS else found.unit
