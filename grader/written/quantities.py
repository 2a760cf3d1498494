"""A number against its key."""

from __future__ import annotations

import re
from collections.abc import Iterable

from grader.written.judged import Judged, as_in_handout, for_a_person, quoted, right, wrong
from grader.written.key import NumberKey
from grader.written.number_words import german_to_figures, words_to_figures
from grader.written.numbers import Number, Unclear, agrees, contradicts, read_number
from grader.written.sheet import Written

_SINGLE = re.compile(r"\b(?:(?:an?|one|1)\s+)?single(?:\s+(?:one|1))?\b", re.IGNORECASE)
_REASON = re.compile(r"(?<=\w)[\s,;:.–—-]+(?:because|since|as each|as every|weil|denn)\b.*$", re.IGNORECASE | re.DOTALL)
_DENIED = re.compile(r"\b(?:not|isn't|never|no|nicht|kein\w*)\b", re.IGNORECASE)
_EITHER = re.compile(r"\s*(\d+)\s*(?:or|oder|/)\s*(\d+)\b(?![^\d]*\d)")
_SPELT = {"12": ("twelve", "zwölf"), "100": ("hundred", "hundert"), "50": ("fifty", "fünfzig")}
_AT_MOST = re.compile(r"\b(?:not|no|nicht)\s+(?:more|mehr)\s+(?:than|als)\b|\bat most\b|\bhöchstens\b|\bup to\b")
"""Which says the same of one as “only”."""
_TURNING = re.compile(
    r"(?P<words>\b(?:not|never|nicht|kein\w*|isn't|aren't|all but|alle bis auf|at least|at most|mindestens|höchstens"
    r"|(?:more|less|fewer|greater|larger|smaller|higher|lower|other) than|(?:mehr|weniger|größer|kleiner) als"
    r")\b)[^\d,;.:()=]{0,25}$|\b(?P<close>over|under|below|above)\s+$"
)
_OPEN = re.compile(r"\s*(?P<words>\+(?=\s|$)|or (?:more|less|fewer)\b|oder (?:mehr|weniger)\b)")
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
    found = _read(key, answer.text)
    if isinstance(found, Unclear):
        either = _EITHER.match(answer.text)
        said = [Number(float(end)) for end in either.groups()] if either else []
        both = bool(said) and all(_is_one_of(one, (key.value, *key.also), key) for one in said)
        return right() if both else for_a_person(f"{quoted(answer.text)}: {found.reason}")
    grouped = _GROUPED.search(answer.text)
    if grouped and key.between is None:  # 1.024 is a thousand and some in German; 1.000 may be one
        german = read_number(answer.text, "comma")
        if isinstance(german, Number) and german.value != found.value:
            if _is_one_of(german, (key.value, *key.also), key):
                return right()
            if _is_one_of(found, (key.value, *key.also), key):
                return for_a_person(f"{quoted(answer.text)} may be {found.value:g} or {german.value:g}.", 1.0)
    if _is_one_of(found, (key.value, *key.also), key):
        return _right(key, answer, found)
    return _other(key, answer, found)


def _read(key: NumberKey, text: str) -> Number | Unclear:
    """Read the number of an answer: as it stands, else without what is beside it."""
    found = read_number(_SINGLE.sub("1", text))
    for spare in (text, _beside(key, text)):  # a remark in brackets may be in the way: 48 (XL)
        if isinstance(found, Unclear):
            again = read_number(_SINGLE.sub("1", re.sub(r"\([^()]*\)", " ", spare)))
            found = again if isinstance(again, Number) else found
    if isinstance(found, Number) and contradicts(text, found, key.ask):
        return Unclear("The sides of the equation do not agree.")
    return found


def _beside(key: NumberKey, text: str) -> str:
    """Return an answer without its reason, and without numbers of the question that only say what is spoken of."""
    if _DENIED.search(text) or re.search(r"\b(?:all|alle)\b", re.sub(r"of all", "", text.lower())):
        return text
    bare = _REASON.sub("", text)
    for told in re.findall(r"\d+(?:\.\d+)?[MB]\b", key.ask):  # the 1.5B model
        bare = re.sub(rf"\b{re.escape(told)}\b(?:\s+parameters?\b)?", " ", bare)
    for told in re.findall(r"(?<![\d.])\d+(?![\d.])", key.ask):
        said = "|".join((told, *_SPELT.get(told, ())))
        bare = re.sub(
            rf"\b(?:out\s+)?of\s+(?:the|these|our|my|all)\b(?:\s+the)?\s+(?:{said})\b", " ", bare, flags=re.IGNORECASE
        )
    return bare


def _right(key: NumberKey, answer: Written, found: Number) -> Judged:
    """Judge a number that is the one asked for by the words around it."""
    if turned := _turned(answer.text, found.value):
        return for_a_person(f"{quoted(answer.text)}: “{turned}” stands beside the number.")
    strange = _strange_unit(key, found)
    return for_a_person(f"The number is right; “{strange}” is not what was counted.") if strange else right()


def _turned(text: str, value: float) -> str:
    """Return the words that make another number of the one behind or before them: not 48, more than 1, 100 or more."""
    flat = words_to_figures(german_to_figures(_SINGLE.sub("1", text.lower())))
    figure = re.search(r"\d+(?:[.,]\d+)*", flat)
    if not figure:
        return ""
    before = _TURNING.search(_AT_MOST.sub(" ", flat[: figure.start()]) if value == 1 else flat[: figure.start()])
    behind = _OPEN.match(flat[figure.end() :])
    return (before["words"] or before["close"]) if before else behind["words"] if behind else ""


def _other(key: NumberKey, answer: Written, found: Number) -> Judged:
    """Judge a number that is not the one asked for."""
    if key.between:
        inside = key.between[0] <= found.value <= key.between[1]
        return right() if inside else for_a_person(f"{quoted(answer.text)} is an unusual choice.")
    part = _PART.match(answer.text)
    if part and _is_one_of(Number(float(part[1])), (key.value, *key.also), key):
        return for_a_person(f"{quoted(answer.text)} may mean {part[1]}.")
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
