"""A number against its key."""

from __future__ import annotations

import re
from collections.abc import Iterable

from grader.written.german import in_english
from grader.written.judged import Judged, as_known, for_a_person, quoted, right, wrong
from grader.written.key import NumberKey
from grader.written.neutral import denies, strange, without_reason, words_of
from grader.written.numbers import Number, Unclear, agrees, contradicts, flattened, read_number
from grader.written.sheet import Written
from grader.written.word_lists import counted, listed

_EACH = re.compile(r"\b(?:all|alle|each|every)\b", re.IGNORECASE)
_OPEN = re.compile(r"(?<=\d)\s*\+(?=\s|$)")
_THOUSANDS = re.compile(r"(?<![\d.,])[1-9]\d{0,2}(?:\.\d{3})+(?![\d.,])")


def judge_number(key: NumberKey, answer: Written) -> Judged:
    """Judge a number by its value; two numbers, or none, go to a person, and so does one beside unknown words."""
    wanted = (key.value, *key.also)
    if key.between and (ends := _range(answer.text)) and all(key.between[0] <= end <= key.between[1] for end in ends):
        return right()
    found = _read(key, answer.text)
    if isinstance(found, Unclear):
        return for_a_person(f"{quoted(answer.text)}: {found.reason}")
    if _THOUSANDS.search(answer.text) and key.between is None:  # 1.024 is a thousand and some in German
        german = read_number(answer.text.replace(".", ""))
        if isinstance(german, Number) and _is_one_of(german, wanted, key):
            return right()
        if isinstance(german, Number) and _is_one_of(found, wanted, key):
            return for_a_person(f"{quoted(answer.text)} may be {found.value:g} or {german.value:g}.", 1.0)
    inside = key.between is not None and key.between[0] <= found.value <= key.between[1]
    if inside or _is_one_of(found, wanted, key):
        turned = _stranger(key, found.beside) or _OPEN.findall(answer.text)
        return for_a_person(f"The number is right; “{turned[0].strip()}” stands beside it.") if turned else right()
    return _other(key, answer, found)


def _stranger(key: NumberKey, beside: str) -> list[str]:
    """Return the words beside a number that may make another thing of it."""
    only, known = frozenset({"only"}), (*key.unit, *listed("beside_numbers"))
    return strange(beside, key, *known, but=only) and strange(beside, key, *known, *_called_too(key), but=only)


def _called_too(key: NumberKey) -> Iterable[str]:
    """Return other words for what the question counts: one parameter, weights for its parameters."""
    told = " ".join((key.title, key.ask, *key.unit))
    asked = frozenset(words_of(f"{told} {in_english(told) or ''}"))
    return (*(word.removesuffix("s") for word in asked), *(word for same in counted() if same & asked for word in same))


def _read(key: NumberKey, text: str) -> Number | Unclear:
    """Read the number of an answer without what is beside it, nor a remark in brackets that is in the way."""
    bare = _beside(key, text)
    tries = (bare, re.sub(r"\([^()]*\)", " ", bare))
    read = [read_number(one) for one in tries]
    found = next((one for one in read if isinstance(one, Number)), read[0])
    if isinstance(found, Number) and contradicts(text, found, key.ask):
        return Unclear("The sides of the equation do not agree.")
    return found


def _beside(key: NumberKey, text: str) -> str:
    """Return an answer without its reason, and without numbers of the question that only say what is spoken of."""
    bare = without_reason(text)
    if denies(bare) or _EACH.search(re.sub(r"(?i)\bof all\b", "", bare)):
        return bare
    for told in re.findall(r"\d+(?:\.\d+)?[MB]\b", key.ask):  # the 1.5B model
        bare = re.sub(rf"\b{re.escape(told)}\b(?:\s+parameters?\b)?", " ", bare)
    told = {float(number) for number in re.findall(r"(?<![\d.])\d+(?![\d.])", key.ask)}
    for part in re.findall(r"\b(?:[Oo]ut )?[Oo]f (?:the |these |our |my |all )+[\w-]+", bare):
        number = read_number(part)
        bare = bare.replace(part, " ") if isinstance(number, Number) and number.value in told else bare
    return bare


def _other(key: NumberKey, answer: Written, found: Number) -> Judged:
    """Judge a number that is not the one asked for."""
    if key.between:
        return for_a_person(f"{quoted(answer.text)} is an unusual choice.")
    told = re.findall(r"(?<![\w.,])\d+(?![\w.,])", flattened(re.sub(r"[()]", " ", answer.text)))
    asked = re.findall(r"(?<![\d.])\d+(?![\d.])", key.ask)
    if any(_is_one_of(Number(float(one)), (key.value, *key.also), key) for one in told if one not in asked):
        return for_a_person(f"{quoted(answer.text)} holds the number asked for beside {found.value:g}.")
    if known := as_known(key, answer.text, lambda texts: _is_one_of(found, texts, key)):
        return known
    if any(_rounded(one, found, answer.text) for one in (key.value, *key.also)):
        return for_a_person(f"{quoted(answer.text)} is the number asked for, rounded.")
    return wrong(f"You wrote {quoted(answer.text)}.")


def _rounded(value: str, found: Number, text: str) -> bool:
    """Whether the answer is ``value`` to as many digits as it writes: two at least, with a decimal point."""
    exact = read_number(value)
    figures = (re.sub(r"[.,]", "", figure).lstrip("0") for figure in re.findall(r"\d*[.,]\d+", flattened(text)))
    digits = {len(figure) for figure in figures} - {0, 1}
    return isinstance(exact, Number) and any(agrees(found, float(f"{exact.value:.{many - 1}e}")) for many in digits)


def _is_one_of(found: Number, texts: Iterable[str], key: NumberKey) -> bool:
    read = (read_number(text) for text in texts)
    return any(isinstance(one, Number) and agrees(found, one.value, key.tolerance) for one in read)


def _range(text: str) -> tuple[float, float] | None:
    """Return the ends of ``8-16``, ``8 to 16``, ``8 or 16``."""
    match = re.fullmatch(r"\D*(\d+)\s*(?:-|–|—|to|or|bis|oder|\.\.\.?|/|and|,)\s*(\d+)\D*", text.strip().lower())
    return (float(match[1]), float(match[2])) if match else None
