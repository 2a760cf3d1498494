"""A text as pieces of mathematics and of speech, without the words around each formula, and what words mean.

Two cases are told apart in it: before and after warm-up, even and odd columns; and heads made in a loop.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from grader.written.formula.kinds import Kind
from grader.written.formula.rewriting import unicode_folded
from grader.written.formula.vocabulary import FUNCTIONS, listed, words

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


_ENDINGS = ("'s", "s", "es", "d", "ed", "ing", "ly", "n", "en", "e", "em", "er", "t", "te", "ten", "st", "et")
_JOINTS = ("", "s", "n", "en", "es")
_SHORTEST_PART = 4
"""Letters of a part of a compound: Modell-breite, element-weise."""
PLAIN = "plain"


SAID = listed("beside.txt")
COPULAS = frozenset(SAID["copulas"]["all"])
_WHOLE: dict[str, str] = {}
_BEGUN: dict[str, str] = {}
for _name, _words in SAID["meanings"].items():
    for _form in {form for word in _words for form in (word, unicode_folded(word))}:
        (_BEGUN if _form.endswith("*") else _WHOLE)[_form.rstrip("*")] = _name
_BEGINNINGS = sorted(_BEGUN.items(), key=lambda item: -len(item[0]))


@lru_cache(maxsize=4096)
def meaning(word: str) -> frozenset[str]:
    """Return what a word in lower case means; nothing where it is not known. Compounds mean what their parts mean."""
    if word in _WHOLE:
        return frozenset({_WHOLE[word]})
    if "-" in word:
        parts = [meaning(part) for part in word.split("-") if len(part) > 1]
        return frozenset().union(*parts) if all(parts) else frozenset()
    for start, name in _BEGINNINGS:
        if word.startswith(start):
            rest = word.removeprefix(start)
            more = meaning(rest) if len(rest) >= _SHORTEST_PART else frozenset()
            return frozenset({name}) | (more - {PLAIN})
    for ending in _ENDINGS:
        stem = word.removesuffix(ending)
        if stem != word and len(stem) > 2 and _WHOLE.get(stem) == PLAIN:
            return frozenset({PLAIN})
    for at in range(_SHORTEST_PART, len(word) - _SHORTEST_PART + 1):
        for joint in _JOINTS:
            first = word[:at].removesuffix(joint) if joint else word[:at]
            if len(first) >= _SHORTEST_PART and first + joint == word[:at] and first in _WHOLE and meaning(word[at:]):
                return frozenset({_WHOLE[first]}) | meaning(word[at:])
    return frozenset()


_SHORT = 3
"""Letters: an unknown word of no more is a product."""
_TOLD = re.compile(r"\s*([A-Za-z]\w*)\s*=\s*((?:[^\W\d_]{2,}[- ]?){2,8})\.?\s*")
"""T_w = warmup steps."""
_OPEN, _CLOSE = "([{₍", ")]}₎"
_PROJECTION = re.compile(r"\bW(?:_\{?\w\}?)?\^\{?[QKVO]\}?(?:_\{?\w\}?)?(?![\w(])")
_STRONG = re.compile(r"=|\w\(|\\[A-Za-z]|[@←→]")
"""What only a formula has; products and powers stand in sentences, too."""
_BETWEEN = re.compile(r":?=|[·×*@/+⊕]|\\(?:cdot|times)|&")
"""What stands between two sides or two factors."""
BREAK = re.compile(
    r"(?<![\w.])[.](?=\s|$)|(?<=[\w)}$])\.(?=\s|$)|[;\n]|:(?=\s)|\s[–—-]\s|—|\\\\|\\q?quad"
    r"|(?<![\w\\])(?:where|here|wobei|où|dabei|hier|donde|because|since|weil|da)(?!\w)"
    r"|(?<![\w\\])(?:with|mit|avec|con)(?=\s+(?:(?:\S*[=\\(_]\S*|[A-Za-z])\s+[^.,;)\s]|\w{1,8}\s?=))"
    r"|(?<=\s)(?:and|und|et|y)(?=\s+(?:[^\W\d_]{3,}\s+){1,3}\S{1,8}\s*:?=)"
    r"|(?<=[\w)\]}][\w)\]}]\s)(?:and|und|et|y)(?=\s+\w+(?:_\{?\w+\}?)?\s+(?:is|are|denotes|means|bedeutet|ist|sind|est|es)\s)",
    re.IGNORECASE,
)
_MATHEMATICS = re.compile(r"[=^/+*·×√÷−@∑Σ<>≤≥∈∥|\[\]]|\\[A-Za-z]|\w\(|\d\s?-|->|→")
_PROSE_WORD = re.compile(r"a|I|(?:\\text\s?\{)?[^\W\d_]{2,}(?:[-'’][^\W\d_]+)*[.:!}]?")
_REMARK = re.compile(
    r"\((?=[^()]*[^\W\d_]{2})(?:[^()=^/+*]|\([^()]*\)){3,120}\)"
    r"|\(\s?\w{1,12}\s?=(?P<value>[^()=]{1,60})\)"
)
"""Words in brackets, or a setting: (row by row), (d_model = 512)."""


class Piece(NamedTuple):
    """A stretch of a text between commas and other breaks; `formula` where it holds mathematics."""

    start: int
    stop: int
    formula: bool
    clause: int


def pieces(text: str, names: frozenset[str]) -> list[Piece]:
    """Return the pieces of a text; a comma in brackets parts nothing. `names` are words that formulas use."""
    out: list[Piece] = []
    begun = 0
    for number, found in enumerate([*BREAK.finditer(text), None]):
        end = found.start() if found else len(text)
        if found is not None and sum((char in _OPEN) - (char in _CLOSE) for char in text[begun:end]) > 0:
            continue
        for a, b in _parts(text, begun, end):
            mathematics = _MATHEMATICS.search(_PROJECTION.sub("W", text[a:b]))
            first, last = (b, b) if not mathematics else (a, b) if told_in(text[a:b]) else _core(text, a, b, names)
            for start, stop, formula in ((a, first, False), (first, last, True), (last, b, False)):
                out += [Piece(start, stop, formula, number)] if text[start:stop].strip() else []
        begun = found.end() if found else end
    return out


def with_results(text: str) -> str:
    """Return `text` with "the output is A V" as an equation, which is judged."""
    parts = re.split(r"(\s+)", text)
    for at in range(0, len(parts) - 4, 2):
        word, verb, value = parts[at].lower(), parts[at + 2].lower(), parts[at + 4]
        following = "".join(parts[at + 6 : at + 7])
        told = meaning(word) == {"output"} and verb in COPULAS and "=" not in value + following
        product = "(" in value or (following and not _is_word(following))
        if told and product and re.match(r"[A-Za-z(]", value) and not _is_word(value):
            parts[at + 2] = "="
    return "".join(parts)


def mathematics_of(kind: Kind, text: str) -> str:
    """Return `text` without the words in front of its formulas, between and behind them."""
    out, at = "", 0
    found = pieces(text, frozenset({*FUNCTIONS, *(name.lower() for name in kind.words)}))
    if not any(piece.formula for piece in found):
        return text
    for piece in found:
        said = text[piece.start : piece.stop]
        remark = text[piece.start - 1 : piece.start] == "(" and text[piece.stop : piece.stop + 1] == ")"
        words = {word.lower() for word in (part.strip(".:,()") for part in said.split()) if _is_word(word)}
        told = piece.formula and told_in(said)
        in_sentence = piece.formula and not re.search(r"[=(]", said) and any(map(_is_word, said.split()[1:-1]))
        speech = words and said.count("{") == said.count("}") and (in_sentence or not piece.formula)
        if not (told or speech or (remark and piece.formula)):
            continue
        before = text[at : piece.start - remark]
        if told:
            out += before
        elif remark and piece.formula:
            out += f"{before} ;\n{said}\n"
        else:
            sides = [name for name, forms in (("even", EVEN), ("odd", ODD)) if kind.waves and words & forms]
            ends = "".join(f" ;\n{side} ;\n" for side in sides) or "\n" * bool(piece.start)
            out += re.sub(r"\s[–—-]\s*\Z", "", before) + ends
        at = piece.stop + remark
    return out + text[at:]


def told_in(said: str) -> re.Match[str] | None:
    """Return how an equation says in words what a symbol is: T_w = warmup steps."""
    told = _TOLD.fullmatch(said)
    return told if told and all(meaning(word.lower()) for word in told[2].split()) else None


def _is_word(token: str) -> bool:
    """Say whether a token is a word of speech; a short unknown one is a product."""
    plain = token.removeprefix("\\text{").strip(".:!},").lower()
    return bool(_PROSE_WORD.fullmatch(token)) and (len(plain) > _SHORT or bool(meaning(plain)))


def _parts(text: str, start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Yield what stands between commas, and remarks in brackets apart."""
    depth, begun = 0, start
    for at in range(start, stop):
        depth += (text[at] in _OPEN) - (text[at] in _CLOSE)
        if text[at] == "," and depth <= 0:
            yield begun, at
            begun = at + 1
        elif text[at] == "(" and at and text[at - 1] in " \n{" and (told := _REMARK.match(text, at, stop)):
            if depth > 1 + (text[at - 1] == "{") or not _is_remark(told):
                continue
            yield begun, at
            yield at + 1, told.end() - 1
            begun = told.end()
    yield begun, stop


def _is_remark(told: re.Match[str]) -> bool:
    """Say whether brackets hold words, or a setting, and no factor or argument."""
    inside = told.group()[1:-1]
    meant = [meaning(word.strip(".,:").lower()) for word in inside.split()]
    known = [names for names in meant if names]
    speaks = len(known) > 1 or (len(meant) == 1 and bool(known) and known[0] <= {PLAIN, "rows"})
    return bool(told["value"]) or (speaks and not re.search(r"\s[-–]\s", inside) and not _MATHEMATICS.search(inside))


def _core(text: str, start: int, stop: int, names: frozenset[str]) -> tuple[int, int]:
    """Return where the mathematics of a piece begins and ends: without the words in front and behind."""
    tokens = list(re.finditer(r"\S+", text[start:stop]))
    words = [_is_word(token.group()) for token in tokens]
    if all(words):
        return start, stop
    strong = [at for at, token in enumerate(tokens) if not words[at] and _STRONG.search(token.group())]
    weak = [at for at, token in enumerate(tokens) if not words[at] and _MATHEMATICS.search(token.group())]
    first, last = min(strong or weak or [words.index(False)]), len(words) - 1 - words[::-1].index(False)
    while first and not words[first - 1]:
        first -= 1
    while first and tokens[first - 1].group().lower().strip(",") in names | {"of"}:
        first -= 1
    if first and _BETWEEN.match(tokens[first].group()):  # output = …
        first -= 1
    rest = [token.group().lower().strip("}.,") for token in tokens[last + 1 :]]
    joined = bool(last) and tokens[last - 1].group().lower() in SAID["and"]["all"]  # … and W^O projects
    if first < last and rest and (joined or rest[0] in COPULAS) and not {*rest} & (EVEN | ODD):  # … and d_k is the
        last -= 1
        while last > first and words[last]:
            last -= 1
    if tokens[last].group()[-1] in "=+-*/·×(^" and last + 1 < len(tokens):  # … = step
        last += 1
    return start + tokens[first].start(), start + tokens[last].end()
