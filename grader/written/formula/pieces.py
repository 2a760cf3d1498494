"""Formulas that are given case by case: even and odd columns become two lines, a comparison becomes a choice."""

from __future__ import annotations

import re

from grader.written.formula.tree import UnreadableError

MOST = 4
_OPEN = re.compile(
    r"(?:\\left\s?)?(?:\\\{|\\lbrace)?\s{0,9}\\begin\s?\{(?:[dr]?cases|array)\*?\}(?:\s?\{[lcr|@\s]{1,9}\})?"
)
_CLOSE = re.compile(r"\\end\s?\{(?:[dr]?cases|array)\*?\}\s{0,9}(?:\\right\s?\.?)?")
_ROW = re.compile(r"\\\\(?:\s?\[[^\]]{0,9}\])?|\\cr\b")
_DRESS = re.compile(r"\\(?:text|mathrm|textrm|mbox|textit|operatorname)\s?\{([^{}]{0,40})\}")
_SPACE = re.compile(r"\\(?:q?quad|[,;:! ]|left|right|displaystyle)(?![A-Za-z])")
_WORDS = re.compile(r"\b(?:if|when|where|for|with|falls|wenn)\b", re.IGNORECASE)
_ELSE = re.compile(r"(?:otherwise|else|sonst|after(?:wards)?|inallothercases)?[.,;\s]*", re.IGNORECASE)
_PAIR = re.compile(r"([a-z])=2(?:\\cdot|\\times|\*)?([a-z])(\+1)?")
_MOD = re.compile(r"\(?([a-z])\)?(?:\\bmod|\\mod|\\pmod|mod|%|\\%)\{?2\}?(?:=|==|\\equiv)([01])|([a-z])\\equiv([01])")
_EVEN_ODD = re.compile(r"(?:([a-z])(?:is|=|\\in)?)?(even|odd)")
_COMPARED = re.compile(r"([^<>]{1,80})([<>])=?([^<>]{1,80})")
_SIGNS = (
    (re.compile(r"\\(?:leqslant|leq|le|lt)(?![A-Za-z])|≤|⩽"), "<"),
    (re.compile(r"\\(?:geqslant|geq|ge|gt)(?![A-Za-z])|≥|⩾"), ">"),
)
_BY_COLUMN = re.compile(
    r"=(?P<first>[^=\n]{4,160}?)[,;]?\s{1,9}(?P<if>(?:if|for|when)\s[^,;\n]{1,40}?)[,;]?\s{1,9}(?:(?:and|else|or)\s{1,9})?"
    r"(?P<second>-?\s?(?:(?:math|np|torch)\.)?\\?(?:sin|cos)[^=\n]{4,140}?)[,;]?\s{1,9}(?P<then>(?:if|for|when)\s[^,;\n]{1,40}|otherwise|else)[.\s]*\Z"
)
_POSITIONS = "ptnmxs"


_ASSIGNED = r"(?P<name>[A-Za-z_][\w\[\], ]{0,30}?)\s?=\s?(?P<a>[^=\n;]{1,160}?)"
_BRANCHES = re.compile(
    rf"(?:\b(?:if|for|when|while)\s|\b(?:during|in|after|before)\s[^(:\n=]{{2,30}}\()(?P<if>[^:()\n]{{3,60}}?)\)?\s?(?::|,|\bthen\b)\s{{0,20}}{_ASSIGNED}\s{{0,20}}[;,\n]?\s{{0,20}}(?:\belse\b|\botherwise\b|\bafter(?:wards)?\b|\bthen\b|(?P<then>\b(?:if|for|when|while)\s[^:\n]{{3,60}}?)\s?:)\s?[:,]?\s{{0,20}}"
    r"(?:(?P=name)\s?=\s?)?(?P<b>[^=\n;]{1,160})"
)
_TERNARY = re.compile(r"=\s?(?P<a>[^=\n]{2,160}?)\s+if\s(?P<if>[^\n]{3,60}?)\s+else\s(?P<b>[^=\n]{2,160})(?=\n|\Z)")
_BY_SIZE = re.compile(
    r"=\s?(?P<a>[^=\n]{2,160}?),?\s+(?:if|for|when|while)\s(?P<if>[^=\n,;]{1,40}?(?:<=?|>=?|≤|≥)[^\n,;]{1,40}?)[,;]?\s+(?:and\s|else\s|or\s)?"
    r"(?P<b>[^=\n,;]{2,160}?),?\s+(?P<then>(?:if|for|when)\s[^\n,;]{1,60}|otherwise|else|after(?:wards)?)[.\s]{0,5}\Z"
)


def without_cases(text: str, *, columns: bool) -> str:
    """Return `text` without cases environments.

    With `columns` the cases are those of even and odd columns: each becomes an equation of its own. Otherwise two
    cases of a comparison become choose(difference, when it is negative, when it is not). Raises UnreadableError
    where the conditions are not understood.
    """
    if "\\begin" not in text:
        text = _in_a_row(text) if columns else _chosen(text)
    for _ in range(MOST):
        opening = _OPEN.search(text)
        closing = _CLOSE.search(text, opening.end()) if opening else None
        if opening is None or closing is None:
            break
        rows = [_row(row) for row in _ROW.split(text[opening.end() : closing.start()]) if row.strip(" &,.\n")]
        if len(rows) != 2:  # noqa: PLR2004 - two cases, or it is something else
            raise UnreadableError("Cases other than two are read by a person.")
        before, after = text[: opening.start()], text[closing.end() :]
        if columns:
            start = _start(before)
            text = f"{before[:start]}{_two_lines(before[start:], rows)}{after}"
        else:
            text = f"{before} {_choice(rows)} {after}"
    return text


def _in_a_row(text: str) -> str:
    """Return “… = A if j is even, B if j is odd” as cases."""
    text = _TERNARY.sub(_as_row, _BRANCHES.sub(_as_assigned, text))
    if "\\begin" in text:
        return text
    found = _BY_COLUMN.search(text)
    if found is None or _parity(found["if"]) is None or not (_parity(found["then"]) or _ELSE.fullmatch(found["then"])):
        return text
    rows = rf"{found['first']} & {found['if']} \\ {found['second']} & {found['then']}"
    return f"{text[: found.start()]}= \\begin{{cases}} {rows} \\end{{cases}}"


def _chosen(text: str) -> str:
    """Return “if a < b: r = A else: r = B”, “A if a < b else B” and “A if a < b, B otherwise” as cases."""
    for pattern, change in ((_BRANCHES, _as_assigned), (_TERNARY, _as_row), (_BY_SIZE, _as_row)):
        text, count = pattern.subn(change, text, count=1)
        if count:
            break
    return text


def _as_assigned(match: re.Match[str]) -> str:
    return f"{match['name']} = {_as_cases(match)}"


def _as_row(match: re.Match[str]) -> str:
    return f"= {_as_cases(match)}"


def _as_cases(match: re.Match[str]) -> str:
    found = match.groupdict()
    rows = rf"{found['a']} & {found['if']} \\ {found['b']} & {found.get('then') or 'otherwise'}"
    return f"\\begin{{cases}} {rows} \\end{{cases}}"


def _row(row: str) -> tuple[str, str]:
    r"""Return what stands before and behind the `&`, or before and behind a comma or an “if”."""
    body, mark, condition = row.partition("&")
    if not mark:
        told = re.search(
            r"[,;]?\s{0,9}(?:\\q?quad\s{0,9})?(?:\\(?:text|mathrm)\s?\{\s?)?\b(?:if|for|when|otherwise)\b", row
        )
        body, condition = (row[: told.start()], row[told.start() :]) if told else (row, "")
    return body.strip(" \n,;&"), condition.replace("&", " ")


def _said(condition: str) -> str:
    """Return a condition without its dressing and spaces."""
    plain = _SPACE.sub(" ", _DRESS.sub(r" \1 ", condition).replace("$", " "))
    for pattern, sign in _SIGNS:
        plain = pattern.sub(sign, plain)
    return re.sub(r"\s+", "", _WORDS.sub(" ", plain)).strip(",.;:~")


def _start(before: str) -> int:
    """Return where the left side that ends at `before`'s end begins."""
    depth = 0
    for at in range(len(before) - 1, -1, -1):
        char = before[at]
        depth += (char in ")]}") - (char in "([{")
        if depth <= 0 and (char in ",;\n$" or before[at : at + 2] == "\\\\" or before[at : at + 5] == "\\quad"):
            return at + (5 if before[at : at + 5] == "\\quad" else 2 if char == "\\" else 1)
    return 0


def _parity(condition: str) -> tuple[str, str, bool] | None:
    """Return the letters of the column and of the pair (or "") and whether the columns are odd."""
    said = _said(condition)
    pair = _PAIR.search(said)
    if pair:
        return pair[1], pair[2], bool(pair[3])
    mod = _MOD.search(said)
    if mod:
        return mod[1] or mod[3], "", (mod[2] or mod[4]) == "1"
    words = _EVEN_ODD.search(said)
    return (words[1] or "", "", words[2] == "odd") if words else None


def _two_lines(left: str, rows: list[tuple[str, str]]) -> str:
    first, second = (_parity(condition) for _, condition in rows)
    if first is None and second is not None:
        rows, first, second = rows[::-1], second, None
    if first is None:
        raise UnreadableError("Which columns the cases are for is not clear.")
    if second is None and _ELSE.fullmatch(_said(rows[1][1])):
        second = (first[0], first[1], not first[2])
    if second is None or second[2] == first[2] or second[0] != first[0]:
        raise UnreadableError("Which columns the cases are for is not clear.")
    lines = []
    for (body, _), (column, pair, odd) in zip(rows, (first, second), strict=True):
        lines.append(_line(left, body, column, pair, odd=odd))
    return " \\\\ ".join(lines) + " \\\\ "


def _letter(name: str) -> str:
    return rf"(?<![A-Za-z\\]){name}(?![A-Za-z])"


def _line(left: str, body: str, column: str, pair: str, *, odd: bool) -> str:
    """Return the equation of the even or the odd columns."""
    index = pair or "i"
    if not column:
        inside = re.search(r"[,(_\[^{]\s?\(?([a-z])\s?[)}\]\s]*=", left)
        column = inside[1] if inside and inside[1] not in _POSITIONS else ""
    used = column and re.search(_letter(column), body)
    if used and not pair and re.search(rf"_\s?\{{?\s?{column}(?![A-Za-z])", body):
        return f"E_{{{'odd' if odd else 'even'}}} = {body}"  # ω_j: what stands behind it says how j is meant
    if used and not pair and column != "i" and re.search(_letter("i"), body):
        raise UnreadableError("There are more letters than a position and a column.")
    if (
        used
        and not pair
        and re.search(rf"2\s?(?:\\cdot|\*)?\s?{_letter(column)}".replace("(?<![A-Za-z\\\\])", ""), body)
    ):
        raise UnreadableError(f"Right only if {column} counts the pairs of columns; a person should look.")
    if used:
        body = re.sub(_letter(column), f"(2 {index} + 1)" if odd else f"(2 {index})", body)
    places = {letter for letter in _POSITIONS if re.search(_letter(letter), body)} - {index, column}
    place = "pos" if re.search(_letter("pos"), body) or len(places) != 1 else places.pop()
    return f"PE_{{({place},2{index}{'+1' if odd else ''})}} = {body}"


def _choice(rows: list[tuple[str, str]]) -> str:
    """Return two cases of one comparison as a choice by the sign of a difference."""
    if _ELSE.fullmatch(_said(rows[0][1])) and not _ELSE.fullmatch(_said(rows[1][1])):
        rows = [rows[1], rows[0]]
    found = _COMPARED.fullmatch(_said(rows[0][1]))
    if found is None:
        raise UnreadableError("The conditions of the cases are not understood.")
    a, sign, b = found.groups()
    other = _said(rows[1][1])
    if not _ELSE.fullmatch(other):
        again = _COMPARED.fullmatch(other)
        same = again is not None and (
            ((again[1], again[3]) == (a, b) and again[2] != sign)
            or ((again[1], again[3]) == (b, a) and again[2] == sign)
        )  # fmt: skip
        if not same:
            raise UnreadableError("The conditions of the cases do not complete each other.")
    below, above = (rows[0][0], rows[1][0]) if sign == "<" else (rows[1][0], rows[0][0])
    return f"\\mathrm{{choose}}( {a}, {b}, {below}, {above} )"
