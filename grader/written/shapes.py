"""Shapes such as ``T × d_k``, read in any usual spelling and compared axis by axis."""

from __future__ import annotations

import re

from grader.written.judged import Judged, as_known, for_a_person, quoted, right, wrong
from grader.written.key import ShapeKey
from grader.written.neutral import denies, without_reason
from grader.written.sheet import Written

LONGEST = 500
"""Characters of a shape or an expression; a longer text takes too long to search, and a person reads it."""
Shape = tuple[str, ...]

_REMARKS = re.compile(r"[,;.]?\s*\b(?:as|where|da|wobei)\b.*$", re.IGNORECASE | re.DOTALL)
_TURNED = re.compile(r"\btransposed?\b|\b[A-Z]\s*(?:\^\s*(?:T\b|\{\s*\\?(?:T|top)\s*\})|ᵀ|')", re.IGNORECASE)
_MARKS = (
    (r"\\(?:mathbb|mathbf|mathrm|text|operatorname)\s*\{([^{}]*)\}", r"\1"),
    (r"(?:\\in|∈)?\s*(?:\bR|ℝ)\s*\^?\s*(?=[{(\s]*[A-Za-z0-9])", " "),
    (r"\\times|\\cdot|[✕*]|(?<=\w)[ -]by[ -](?=\w)|(?<=[\w}])\s+x\s+(?=[\w{])", "×"),
    (r"\\(?:left|right|quad|[,;])", " "),
    (r"_\{\s*(\w+)\s*\}", r"_\1"),
    (r"[${}\\]", " "),
    (r"(?i)([\w/]+)\s+(?:rows?|zeilen)\b.{0,9}?\b([\w/]+)\s+(?:columns?|cols?|spalten)\b", r"\1×\2"),
    (r"(?i)([\w/]+)\s+(?:columns?|cols?|spalten)\b.{0,9}?\b([\w/]+)\s+(?:rows?|zeilen)\b", r"\2×\1"),
)
_AXIS = r"[A-Za-z0-9][\w/]*"
_SAID = re.compile(
    rf"(?P<product>{_AXIS}(?:\s*×\s*{_AXIS})+)|[(\[]\s*(?P<tuple>{_AXIS}(?:\s*,\s*{_AXIS})+)\s*[)\]]", re.IGNORECASE
)
_REMARK = re.compile(r"\((?=[^()]*[^\W\d_]{3})[^()]*\)")
_WHOLE = re.compile(rf"\W*(?P<product>{_AXIS}(?:\s*,\s*{_AXIS})*)[\s.)\]]*")


def judge_shape(key: ShapeKey, answer: Written) -> Judged:
    """Judge the one shape that an answer says of the matrix asked for; several, and other letters, are a person's."""
    if len(answer.text) > LONGEST:
        return for_a_person(f"{quoted(answer.text)} is too long for a shape.")
    wanted = [{_letters(name) for name in names} for names in key.axes]
    known = frozenset().union(*wanted)
    bare = _REMARKS.sub("", without_reason(answer.text))
    told = [_shapes_in(text, known) for text in (_REMARK.sub(" ", bare), bare)]
    said, beside = next((one for one in told if one[0]), told[0])
    others = {name for name in re.findall(r"\b[A-Z]\b", beside) if _letters(name) not in known} - {key.title[-1:]}
    if len(said) != 1 or others or denies(bare) or _TURNED.search(bare):
        return for_a_person(f"{quoted(answer.text)} is not read as one shape.")
    (shape,) = said
    if len(shape) == len(wanted) and all(axis in names for axis, names in zip(shape, wanted, strict=True)):
        return right()
    slip = as_known(key, answer.text, lambda texts: any(shape in _shapes_in(text, known)[0] for text in texts))
    if not slip and not set(shape) <= known:
        return for_a_person(f"{quoted(answer.text)} has other letters than the question.")
    other = ": the axes are in another order, or one is another size"
    return slip or wrong(f"You wrote {quoted(answer.text)}{other}.")


def _shapes_in(text: str, known: frozenset[str]) -> tuple[set[Shape], str]:
    """Return the shapes that a text holds, and the rest of it."""
    for form, plain in _MARKS:
        text = re.sub(form, plain, text)
    either = "|".join(sorted(map(re.escape, known), key=len, reverse=True))
    text = re.sub(rf"\b({either})x({either})\b", r"\1×\2", text, flags=re.IGNORECASE)
    found = [match["product"] or match["tuple"] for match in _SAID.finditer(text)]
    if not found and (whole := _WHOLE.fullmatch(re.sub(r"^\s*[QKVX]\s*[:=]\s*", "", text))):
        return {_axes(whole["product"])}, ""
    return {_axes(said) for said in found}, _SAID.sub(" ", text)


def _axes(text: str) -> Shape:
    return tuple(_letters(part) for part in re.split(r"[×,]", text))


def _letters(axis: str) -> str:
    return re.sub(r"[\s_]", "", axis).lower()
