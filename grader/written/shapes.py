"""Shapes such as ``T × d_k``, read in any usual spelling and compared axis by axis."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grader.written.judged import Judged, for_a_person, quoted, right, wrong
from grader.written.key import ShapeKey
from grader.written.sheet import Written

LONGEST = 500
"""Characters of a shape or an expression; a longer text takes too long to search, and a person reads it."""
Shape = tuple[str, ...]

_REASON = re.compile(r"[,;.]?\s*\b(?:because|since|as|where|weil|da|wobei)\b.*$", re.IGNORECASE | re.DOTALL)
_DENIED = re.compile(
    r"\b(?:not|no|never|transposed?|nicht|kein\w*)\b|\b[A-Z]\s*(?:\^\s*(?:T\b|\{\s*\\?(?:T|top)\s*\})|ᵀ|')",
    re.IGNORECASE,
)
_MARKS = (
    (r"\\(?:mathbb|mathbf|mathrm|text|operatorname)\s*\{([^{}]*)\}", r"\1"),
    (r"(?:\\in|∈)?\s*(?:\bR|ℝ)\s*\^?\s*(?=[{(\s]*[A-Za-z0-9])", " "),
    (r"\\times|\\cdot|[✕*]|(?<=\w)[ -]by[ -](?=\w)|(?<=[\w}])\s+x\s+(?=[\w{])", "×"),
    (r"\\(?:left|right|quad|[,;])", " "),
    (r"_\{\s*(\w+)\s*\}", r"_\1"),
    (r"[${}\\]", " "),
)
_AXIS = r"[A-Za-z0-9][\w/]*"
_SAID = re.compile(
    rf"(?P<product>{_AXIS}(?:\s*×\s*{_AXIS})+)|[(\[]\s*(?P<tuple>{_AXIS}(?:\s*,\s*{_AXIS})+)\s*[)\]]"
    rf"|(?P<rows>{_AXIS})\s+(?:rows?|zeilen)\b.{{0,9}}?\b(?P<columns>{_AXIS})\s+(?:columns?|cols?|spalten)\b"
    rf"|(?P<columns2>{_AXIS})\s+(?:columns?|cols?|spalten)\b.{{0,9}}?\b(?P<rows2>{_AXIS})\s+(?:rows?|zeilen)\b",
    re.IGNORECASE,
)
_WHOLE = re.compile(rf"\W*(?P<product>{_AXIS}(?:\s*,\s*{_AXIS})*)[\s.)\]]*")
_REMARK = re.compile(r"\((?=[^()]*[^\W\d_]{3})[^()]*\)")


def judge_shape(key: ShapeKey, answer: Written) -> Judged:  # noqa: PLR0911 - a reason, a line
    """Judge the shape that is said of the matrix asked for; other letters than the question's go to a person."""
    if len(answer.text) > LONGEST:
        return for_a_person(f"{quoted(answer.text)} is too long for a shape.")
    wanted = [{_letters(name) for name in names} for names in key.axes]
    known = frozenset().union(*wanted)
    bare = _REASON.sub("", answer.text)
    said = list(_said(_REMARK.sub(" ", bare), known)) or list(_said(bare, known))
    own = {shape for shape, of in said if not of or key.title[-1:] in of}
    if len(own) != 1 or _DENIED.search(bare):
        return for_a_person(f"{quoted(answer.text)} is not read as one shape.")
    shape = own.pop()
    if _fits(shape, wanted):
        return right()
    if any(_fits(other, wanted) for other, _ in said):
        return for_a_person(f"{quoted(answer.text)} names several shapes.")
    slip = next((s for s in key.slips if any(shape == other for v in s.values for other, _ in _said(v, known))), None)
    if slip is None and not set(shape) <= known:
        return for_a_person(f"{quoted(answer.text)} has other letters than the question.")
    if slip is None and len(shape) != len(wanted):
        return wrong(f"{quoted(answer.text)} has {len(shape)} axes, {len(wanted)} are asked for.")
    other = "" if slip else ": the axes are in another order, or one is another size"
    return wrong(f"You wrote {quoted(answer.text)}{other}.", slip=slip)


def _fits(shape: Shape, wanted: list[set[str]]) -> bool:
    return len(shape) == len(wanted) and all(axis in names for axis, names in zip(shape, wanted, strict=True))


def _said(text: str, known: frozenset[str]) -> Iterator[tuple[Shape, frozenset[str]]]:
    """Yield the shapes of a text, each with the matrices that its clause names."""
    for form, plain in _MARKS:
        text = re.sub(form, plain, text)
    either = "|".join(sorted(map(re.escape, known), key=len, reverse=True))
    text = re.sub(rf"\b({either})x({either})\b", r"\1×\2", text, flags=re.IGNORECASE)
    found = list(_SAID.finditer(text))
    if not found:
        match = _WHOLE.fullmatch(re.sub(r"^\s*[QKVX]\s*[:=]\s*", "", text))
        yield from [(_axes(match["product"]), frozenset())] if match else []
    ends = [0, *(match.end() for match in found)]
    for number, match in enumerate(found):  # what a clause says of a shape, and what follows the last of them
        start = max((cut.end() for cut in _CUT.finditer(text, ends[number], match.start())), default=ends[number])
        after = _CUT.search(text, match.end()) if match is not found[-1] else None
        around = f"{text[start : match.start()]} {text[match.end() : after.start() if after else len(text)]}"
        of = frozenset(letter for letter in re.findall(r"\b[A-Z]\b", around) if _letters(letter) not in known)
        if whole := match["product"] or match["tuple"]:
            yield _axes(whole), of
        else:
            yield (_letters(match["rows"] or match["rows2"]), _letters(match["columns"] or match["columns2"])), of


_CUT = re.compile(r",(?![^()\[\]]*[)\]])|[;.]\s|\b(?:and|und|but|so|or)\b(?!\s+\S+\s+(?:rows?|columns?|cols?)\b)")


def _axes(text: str) -> Shape:
    return tuple(_letters(part) for part in re.split(r"[×,]", text))


def _letters(axis: str) -> str:
    return re.sub(r"[\s_]", "", axis).lower()
