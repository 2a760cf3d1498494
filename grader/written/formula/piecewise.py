"""Formulas in cases, in LaTeX or as Python's `a if b else c`: before and after warm-up, even and odd columns, heads."""

from __future__ import annotations

import re
from collections.abc import Mapping

_CASES = re.compile(
    r"(?:\\left\s?)?(?:\\lbrace|\\\{)?\s{0,3}\\begin\s?\{(?P<env>[dr]?cases|array)\}(?:\{[lcr|@{}\s]{1,8}\})?"
    r"(?P<rows>.{1,900}?)\\end\s?\{(?P=env)\}(?:\s{0,3}\\right\s?\.)?",
    re.DOTALL,
)
_IF = re.compile(r"(?<=[\s)])if\s(?P<when>[^\n]{3,60}?)\selse\s")
_BELOW = ("<=", "<", r"\leqslant", r"\leq", r"\le", r"\lt", "≤")
_ABOVE = (">=", ">", r"\geqslant", r"\geq", r"\ge", r"\gt", "≥")
_ELSE = ("otherwise", "else", "sonst", "sinon", "andernfalls", "en otro caso", "si no")
EVEN = frozenset({"even", "gerade", "geraden", "pair", "pairs", "paire", "paires", "par", "pares"})
ODD = frozenset({"odd", "ungerade", "ungeraden", "impair", "impairs", "impaire", "impaires", "impar", "impares"})
_WORDS = re.compile(r"\\(?:text|mathrm|mbox|textrm)\s?\{([^{}]*)\}")
_FILLERS = frozenset({"if", "for", "when", "falls", "wenn", "si", "is", "ist", "für", "pour", "para", "and", "cuando"})
_EACH = re.compile(r"\[(?P<body>[^\n\[]{4,40}(?:[^\n]{0,160}?))\sfor\s(?P<i>[a-z])\sin\srange\(\w{1,12}\)\s?\]")
_REMAINDER = re.compile(r"([a-z])\s?(?:%|\\b?mod|mod|\\pmod)\s?\{?\s?2\s?\}?\s?={1,2}\s?([01])")
_COLUMN = re.compile(r"([a-z])\s?=\s?2\s?(?:\\cdot)?\s?([a-z])\s?(\+\s?1)?")


def chosen(text: str) -> str:
    """Return `text` with two cases told apart by a comparison as choose(a, b, where a < b, elsewhere)."""
    found = _two(text)
    if found is None:
        return text
    place, rows = found
    for (first, when), (second, _) in (rows, rows[::-1]):
        for signs, (low, high) in ((_BELOW, (first, second)), (_ABOVE, (second, first))):
            sign = next((sign for sign in signs if sign in when), None)
            if sign is not None and when.count(sign) == 1:
                a, b = when.split(sign)
                choice = f"choose({a}, {b}, {low}, {high})"
                return f"{text[: place.start]} {choice} {text[place.stop :]}"
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
    if sides[1] == "" and _is_rest(rows[1][1]):
        sides[1] = {"even": "odd", "odd": "even"}.get(sides[0], "")
    if {*sides} != {"even", "odd"}:
        return None
    out = {}
    for (body, when), side in zip(rows, sides, strict=True):
        head, tail = text[: place.start], f", {side}"
        column = _COLUMN.search(when)
        letter = re.search(r"(?<![A-Za-z\\])[a-z](?![A-Za-z])", when)
        if "=" not in head and letter and not column:
            head += f" PE(pos, {letter.group()}) = "
        if column:  # the column j = 2i is written where the left side says j
            told = f"2{column[2]}" + ("+1" if column[3] else "")
            head, tail = re.sub(rf"(?<![A-Za-z\\]){column[1]}(?![A-Za-z])", told, head), ""
        out["pe_sin" if side == "even" else "pe_cos"] = f"{head} {body} {tail}{text[place.stop :]}"
    return out


def _two(text: str) -> tuple[slice, list[tuple[str, str]]] | None:
    """Return where two cases stand and what they are: value and condition of each, the condition without its words."""
    match = _CASES.search(text)
    if match is not None:
        place = slice(*match.span())
        rows = [row.partition("&")[::2] for row in re.split(r"\\\\", match["rows"]) if row.strip()]
    elif match := _IF.search(text):
        place = slice(_edge(text, match.start(), -1), _edge(text, match.end(), 1))
        rows = [(text[place.start : match.start()], match["when"]), (text[match.end() : place.stop], "else")]
    if match is None or len(rows) != 2:  # noqa: PLR2004 - two cases
        return None
    return place, [(value.strip().rstrip(","), _condition(when)) for value, when in rows]


def _edge(text: str, at: int, step: int) -> int:
    """Return where the value ends that stands before (-1) or behind (1) a place: at its bracket, its line or an =."""
    depth = 0
    opens, closes = ("(", ")") if step > 0 else (")", "(")
    at -= step < 0
    while 0 <= at < len(text) and text[at] not in "\n;" and not (text[at] == "=" and depth == 0):
        depth += (text[at] == opens) - (text[at] == closes)
        if depth < 0:
            break
        at += step
    return at if step > 0 else at + 1


def _condition(when: str) -> str:
    words = _WORDS.sub(r" \1 ", when).replace("$", " ").strip().strip(".,;")
    return " ".join(word for word in words.split() if word.lower().strip(",") not in _FILLERS)


def _is_rest(when: str) -> bool:
    return when.lower() in _ELSE


def _parity(when: str) -> str:
    words = {word.lower() for word in re.findall(r"[^\W\d_]+", when)}
    remainder, column = _REMAINDER.search(when), _COLUMN.search(when)
    if words & ODD or (remainder and remainder[2] == "1") or (column and column[3]):
        return "odd"
    return "even" if words & EVEN or remainder or column else ""
