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
_COMPARED = re.compile(r"[<>≤≥]=?|\\(?:[lg]eq?(?:slant)?|lt|gt)(?![A-Za-z])")
_INSIDE = r"\([^()]*\)"
for _ in range(3):
    _INSIDE = rf"\((?:[^()]|{_INSIDE})*\)"
_PART = rf"(?:[^()\n=;,]|{_INSIDE})+"
_IF, _THEN, _ELSE = r"\b(?:if|when|for)\s", r"(?::|,|\sthen\b)\s{0,9}", r"\b(?:else|otherwise|after(?:wards)?)\b:?"
_AGAIN = rf"(?:{_ELSE}|{_IF}(?P<then>[^\n:,;]+?)"
_OTHER = rf"(?:\w+\s?=)?(?P<other>{_PART})"
_WAYS = (
    rf"(?<=[=(\n;])(?P<this>{_PART}?)\sif\s(?P<when>{_PART}(?:==\s?\d)?)\selse\s(?P<other>{_PART})",
    rf"{_IF}(?P<when>[^\n:,;]+?){_THEN}(?P<name>\w+\s?=)?(?P<this>{_PART}?)[\s;,]{{1,9}}{_AGAIN}{_THEN})\s{{0,9}}{_OTHER}",
    rf"(?<==)(?P<this>{_PART}?),?\s{_IF}(?P<when>[^\n,;]+?)[,;]\s(?:and\s)?(?P<other>{_PART}?),?\s{_AGAIN}$)",
)
_SAID = tuple(re.compile(way, re.IGNORECASE) for way in _WAYS)
"""this if when else other; if when: this, else: other; this if when, other otherwise."""
EVEN, ODD = words("cases", "even"), words("cases", "odd")
_FILLERS = words("cases", "fillers")
_TEXT = re.compile(r"\\(?:text|mathrm|mbox|textrm)\s?\{([^{}]*)\}")
_EACH = re.compile(
    r"(?:tuple\s?\(|\[|(?<=[(\s])\()(?P<body>[^\n\[]{4,40}(?:[^\n]{0,160}?))\sfor\s(?P<i>[a-z])\sin\srange\(\w{1,12}\)\s?[\])]"
)
_REMAINDER = re.compile(r"([a-z])\s?(?:%|\\b?mod|mod|\\pmod)\s?\{?\s?2\s?\}?\s?={1,2}\s?([01])")
_COLUMN = re.compile(r"([a-z])\s?=\s?2\s?(?:\\cdot)?\s?([a-z])\s?(\+\s?1)?")
Row = tuple[str, str]


def chosen(text: str) -> str:
    """Return `text` with two cases told apart by a comparison as choose(comparison, value, other)."""
    found = _two(text)
    if found is None:
        return text
    before, (first, second), after = found
    told = [len(_COMPARED.findall(when)) == 1 for _, when in (first, second)]
    if all(told):  # of two conditions each has to be right
        return f"{before} choose({first[1]}, {first[0]}, choose({second[1]}, {second[0]}, {first[0]})) {after}"
    if any(told):
        (value, when), (other, _) = (first, second) if told[0] else (second, first)
        return f"{before} choose({when}, {value}, {other}) {after}"
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
    before, rows, after = found
    sides = [_parity(when) for _, when in rows]
    if not sides[1] and rows[1][1].lower() in words("cases", "rest") | {"", "en otro caso", "si no"}:
        sides[1] = {"even": "odd", "odd": "even"}.get(sides[0], "")
    if {*sides} != {"even", "odd"}:
        return None
    out = {}
    for (body, when), side in zip(rows, sides, strict=True):
        head, tail = before, f", {side}"
        column = _COLUMN.search(when)
        letter = re.search(r"(?<![A-Za-z\\])[a-z](?![A-Za-z])", when)
        if "=" not in head and letter and not column:
            head += f" PE(pos, {letter[0]}) = "
        if column:  # the column j = 2i is written where the left side says j
            told = f"2{column[2]}" + "+1" * bool(column[3])
            head, tail = re.sub(rf"(?<![A-Za-z\\]){column[1]}(?![A-Za-z])", told, head), ""
        out["pe_sin" if side == "even" else "pe_cos"] = f"{head} {body} {tail}{after}"
    return out


def _two(text: str) -> tuple[str, tuple[Row, Row], str] | None:
    """Return two cases, value and condition of each, and the text before and behind them."""
    match = _CASES.search(text)
    if match:
        rows = [row.partition("&")[::2] for row in re.split(r"\\\\", match["rows"]) if row.strip()]
    else:
        match = next((found for pattern in _SAID if (found := pattern.search(text))), None)
        rows = [(match["this"], match["when"]), (match["other"], match.groupdict().get("then") or "")] if match else []
    if match is None or len(rows) != 2:
        return None
    first, second = ((value.strip().rstrip(","), _condition(when)) for value, when in rows)
    return text[: match.start()] + (match.groupdict().get("name") or ""), (first, second), text[match.end() :]


def _condition(when: str) -> str:
    plain = _TEXT.sub(r" \1 ", when).replace("$", " ").strip().strip(".,;")
    return " ".join(word for word in plain.split() if word.lower().strip(",") not in _FILLERS)


def _parity(when: str) -> str:
    said = {word.lower() for word in re.findall(r"[^\W\d_]+", when)}
    remainder, column = _REMAINDER.search(when), _COLUMN.search(when)
    if said & ODD or (remainder and remainder[2] == "1") or (column and column[3]):
        return "odd"
    return "even" if said & EVEN or remainder or column else ""
