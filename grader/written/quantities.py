"""A number against its key."""

from __future__ import annotations

import re
from collections.abc import Iterable

from grader.written.judged import Judged, as_in_handout, for_a_person, quoted, right, wrong
from grader.written.key import NumberKey
from grader.written.numbers import Number, Unclear, agrees, read_number
from grader.written.sheet import Written

_PART = re.compile(r"\s*(\d+)\s*(?:/|of|out of|von)\s*\d+", re.IGNORECASE)
"""One of twelve, which is no quotient."""

_GROUPED = re.compile(r"(?<![\d.,])[1-9]\d{0,2}(?:\.\d{3})+(?![\d.,])")
_GERMAN = {
    "sekunde": "second", "sekunden": "second", "minute": "minute", "minuten": "minute", "stunde": "hour",
    "stunden": "hour", "prozent": "percent", "kopf": "head", "köpfe": "head", "köpfen": "head", "schicht": "layer",
    "schichten": "layer", "ebenen": "layer", "wort": "word", "wörter": "word", "worte": "word", "schritt": "step",
    "schritte": "step", "schritten": "step", "zeiteinheit": "unit", "zeiteinheiten": "unit",
}  # fmt: skip
_OTHER_UNITS = frozenset(
    {"second", "minute", "hour", "percent", "head", "layer", "gpu", "parameter", "word", "million", "billion"}
)


def judge_number(key: NumberKey, answer: Written) -> Judged:
    """Judge a number by its value; two numbers, or none, go to a person."""
    if key.between and (ends := _range(answer.text)) and all(key.between[0] <= end <= key.between[1] for end in ends):
        return right()
    found = read_number(answer.text)
    if isinstance(found, Unclear):  # a remark in brackets may be in the way: 48 (XL)
        again = read_number(re.sub(r"\([^()]*\)", " ", answer.text))
        if isinstance(again, Unclear):
            return for_a_person(f"{quoted(answer.text)}: {found.reason}")
        found = again
    grouped = _GROUPED.search(answer.text)
    if grouped and key.between is None:  # 1.024 is a thousand and some in German; 1.000 may be one
        german = read_number(answer.text, "comma")
        if isinstance(german, Number) and german.value != found.value:
            if _is_one_of(german, (key.value, *key.also), key):
                return right()
            if _is_one_of(found, (key.value, *key.also), key):
                return for_a_person(f"{quoted(answer.text)} may be {found.value:g} or {german.value:g}.", 1.0)
    if _is_one_of(found, (key.value, *key.also), key):
        strange = _strange_unit(key, found)
        return for_a_person(f"The number is right; “{strange}” is not what was counted.", 1.0) if strange else right()
    return _other(key, answer, found)


def _other(key: NumberKey, answer: Written, found: Number) -> Judged:
    """Judge a number that is not the one asked for."""
    if key.between:
        inside = key.between[0] <= found.value <= key.between[1]
        return right() if inside else for_a_person(f"{quoted(answer.text)} is an unusual choice.")
    part = _PART.match(answer.text)
    if part and _is_one_of(Number(float(part[1])), (key.value, *key.also), key):
        return for_a_person(f"{quoted(answer.text)} may mean {part[1]}.", 1.0)
    for index, printed in enumerate(key.handout):
        if _is_one_of(found, printed.values, key):
            return as_in_handout(key, index)
    slip = next((slip for slip in key.slips if _is_one_of(found, slip.values, key)), None)
    return wrong(f"You wrote {quoted(answer.text)}.", slip=slip)


def _is_one_of(found: Number, texts: Iterable[str], key: NumberKey) -> bool:
    return any(agrees(found, value, key.tolerance) for text in texts if (value := _value(text)) is not None)


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
    words = [_GERMAN.get(word, word) for word in re.findall(r"[^\W\d_]+", found.unit.lower())]
    fits = any(word in known or word.rstrip("s") in known for word in words)
    return "" if fits or not {word.rstrip("s") for word in words} & _OTHER_UNITS else found.unit
