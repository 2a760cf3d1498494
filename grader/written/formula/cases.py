"""Formulas in LaTeX's cases: before and after warm-up, even and odd columns, heads."""

from __future__ import annotations

import re
from collections.abc import Mapping

from grader.written.formula.vocabulary import words

_CASES = re.compile(
    r"(?:\\left\s?)?(?:\\lbrace|\\\{)?\s{0,3}\\begin\s?\{(?P<env>[dr]?cases|array)\}(?:\{[lcr|@{}\s]{1,8}\})?"
    r"(?P<rows>.{1,900}?)\\end\s?\{(?P=env)\}(?:\s{0,3}\\right\s?\.)?",
    re.DOTALL,
)
_COMPARED = re.compile(r"(?P<below><=?|\\leqslant|\\leq?|\\lt|≤)|>=?|\\geqslant|\\geq?|\\gt|≥")
EVEN, ODD = words("cases", "even"), words("cases", "odd")
_FILLERS = words("cases", "fillers")
_TEXT = re.compile(r"\\(?:text|mathrm|mbox|textrm)\s?\{([^{}]*)\}")
_EACH = re.compile(r"\[(?P<body>[^\n\[]{4,40}(?:[^\n]{0,160}?))\sfor\s(?P<i>[a-z])\sin\srange\(\w{1,12}\)\s?\]")
_REMAINDER = re.compile(r"([a-z])\s?(?:%|\\b?mod|mod|\\pmod)\s?\{?\s?2\s?\}?\s?={1,2}\s?([01])")
_COLUMN = re.compile(r"([a-z])\s?=\s?2\s?(?:\\cdot)?\s?([a-z])\s?(\+\s?1)?")
Row = tuple[str, str]


def chosen(text: str) -> str:
    """Return `text` with two cases told apart by a comparison as choose(a, b, where a < b, elsewhere)."""
    found = _two(text)
    if found is None:
        return text
    place, (first, second) = found
    for (value, when), (other, _) in ((first, second), (second, first)):
        signs = list(_COMPARED.finditer(when))
        if len(signs) == 1:
            a, b = when[: signs[0].start()], when[signs[0].end() :]
            low, high = (value, other) if signs[0]["below"] else (other, value)
            return f"{text[: place.start]} choose({a}, {b}, {low}, {high}) {text[place.stop :]}"
    return text


def heads(text: str) -> str:
    """Return `text` with [… for i in range(h)] as concat_{i=1}^{h}(…), W[i] as W_i."""

    def joined(match: re.Match[str]) -> str:
        body = re.sub(rf"\[{match['i']}\]", f"_{match['i']}", match["body"])
        return f"concat_{{{match['i']}=1}}^{{h}}({body})"

    return _EACH.sub(joined, text)


def by_parity(text: str) -> Mapping[str, str] | None:
    """Return the texts of the encoding's sine and cosine, where `text` tells them apart as even and odd columns."""
    found = _two(text)
    if found is None:
        return None
    place, rows = found
    sides = [_parity(when) for _, when in rows]
    if not sides[1] and rows[1][1].lower() in words("cases", "rest") | {"en otro caso", "si no"}:
        sides[1] = {"even": "odd", "odd": "even"}.get(sides[0], "")
    if {*sides} != {"even", "odd"}:
        return None
    out = {}
    for (body, when), side in zip(rows, sides, strict=True):
        head, tail = text[: place.start], f", {side}"
        column = _COLUMN.search(when)
        letter = re.search(r"(?<![A-Za-z\\])[a-z](?![A-Za-z])", when)
        if "=" not in head and letter and not column:
            head += f" PE(pos, {letter[0]}) = "
        if column:  # the column j = 2i is written where the left side says j
            told = f"2{column[2]}" + "+1" * bool(column[3])
            head, tail = re.sub(rf"(?<![A-Za-z\\]){column[1]}(?![A-Za-z])", told, head), ""
        out["pe_sin" if side == "even" else "pe_cos"] = f"{head} {body} {tail}{text[place.stop :]}"
    return out


def _two(text: str) -> tuple[slice, tuple[Row, Row]] | None:
    """Return where two cases stand and what they are: value and condition of each, the condition without its words."""
    match = _CASES.search(text)
    rows = [row.partition("&")[::2] for row in re.split(r"\\\\", match["rows"]) if row.strip()] if match else []
    if match is None or len(rows) != 2:
        return None
    first, second = ((value.strip().rstrip(","), _condition(when)) for value, when in rows)
    return slice(*match.span()), (first, second)


def _condition(when: str) -> str:
    plain = _TEXT.sub(r" \1 ", when).replace("$", " ").strip().strip(".,;")
    return " ".join(word for word in plain.split() if word.lower().strip(",") not in _FILLERS)


def _parity(when: str) -> str:
    said = {word.lower() for word in re.findall(r"[^\W\d_]+", when)}
    remainder, column = _REMAINDER.search(when), _COLUMN.search(when)
    if said & ODD or (remainder and remainder[2] == "1") or (column and column[3]):
        return "odd"
    return "even" if said & EVEN or remainder or column else ""
