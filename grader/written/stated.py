"""The formulas of a report: found among those of its source, judged by value; what is doubtful goes to a person."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import accumulate, chain, islice
from typing import Any, NamedTuple

from grader.model.outcome import Place
from grader.written.judged import Judged, for_a_person, quoted, right, wrong
from grader.written.key import Slip, StatedKey
from grader.written.paper import FormulasRead, Pages, Paper, TooMuchToReadError
from grader.written.pdf.reading import found_at, shown

MOST_FORMULAS, MOST_CHARACTERS = 1000, 100_000
"""How many formulas of a report are looked at, and how long they may be together."""
MOST_LINES = 40
TOO_MUCH = "The report holds more formulas, or longer ones, than are read; a person looks for this one."
SHORTEST, BEFORE = 6, 5
"""Characters of an equation; how many equations before a formula may define what it uses."""
LONGEST_LINE = 200
"""Characters of a line that may be a formula typed as plain text."""

_SIGNS: Mapping[str, re.Pattern[str]] = {
    "attention": re.compile(r"soft\s*max", re.IGNORECASE),
    "multi_head": re.compile(
        r"concat|[\[(]\s*(?:\\\w+\s*\{?\s*){0,3}head|W\s*[\^_]\s*\{?\s*(?:\\\w+\s*\{)?O\b", re.IGNORECASE
    ),
    "pe_sin": re.compile(r"sin", re.IGNORECASE),
    "pe_cos": re.compile(r"cos", re.IGNORECASE),
    "ffn": re.compile(r"(?<!soft)(?<!arg)max|[gr]elu|FFN", re.IGNORECASE),
    "add_norm": re.compile(r"norm|LN", re.IGNORECASE),
    "noam": re.compile(r"min|warm", re.IGNORECASE),
    "variance": re.compile(r"var|\bE\b|\\sigma", re.IGNORECASE),
}  # fmt: skip
"""What a formula has to hold to be an attempt at its kind."""
_ATTEMPTS: Mapping[str, re.Pattern[str]] = {
    "attention": re.compile(r"K"),
    "multi_head": re.compile(r"head|concat", re.IGNORECASE),
    "pe_sin": re.compile(r"pos|10|PE|omega"),
    "pe_cos": re.compile(r"pos|10|PE|omega"),
    "ffn": re.compile(r"W|FFN"),
    "add_norm": re.compile(r"\+|sub", re.IGNORECASE),
}
"""What a formula that is not read has to hold beside, to be shown as an attempt."""
_STEPS = frozenset({"attn-no-value", "mh-no-output", "noam-no-d-model", "ffn-one-layer", "addnorm-no-norm"})
"""Slips that may be steps of a derivation: the rest may stand elsewhere, in signs of its own."""


class Tried(NamedTuple):
    """A formula that was found, what is read in it, and whether it is only typed as text."""

    formula: str
    found: Any
    typed: bool = False


def judge_stated(key: StatedKey, paper: Paper) -> tuple[Judged, str]:
    """Judge whether a formula of the paper stands in a report, and say what stands there instead.

    Where there is a PDF alone, a person is shown the region of the page that it most likely stands in.
    """
    if not paper.sources and paper.pages is not None:
        return _on_the_page(key.formula, paper.pages)
    try:
        return _judged(key.formula, paper)
    except TooMuchToReadError:
        # What was not looked at may be the formula: nothing that was found before makes it wrong.
        attempts = [formula for formula in _looked_at(paper) if _SIGNS[key.formula].search(formula)]
        return for_a_person(TOO_MUCH), "\n".join(attempts[:5])


def _on_the_page(kind: str, pages: Pages) -> tuple[Judged, str]:
    lines = found_at(kind, pages.lines)
    names = ".tex, .md, .docx, .odt, .ipynb, .html"
    told = f"Formulas are read from the source ({names}) beside the PDF, and there is none. A person reads them there."
    where = f"Most likely on page {lines[0].page}." if lines else "Nothing on the pages looks like it."
    place = _places(pages).get(kind)
    return replace(for_a_person(told), why=where, places=(place,) if place else ()), "\n".join(
        line.text for line in lines
    )


@lru_cache(maxsize=4)
def _places(pages: Pages) -> Mapping[str, Place]:
    """Return where the formulas of all kinds stand, with pictures: one look at a PDF for all questions."""
    return shown(pages.path, pages.data, {kind: found_at(kind, pages.lines) for kind in _SIGNS})


def _judged(kind: str, paper: Paper) -> tuple[Judged, str]:
    formulas = _looked_at(paper)
    sign = _SIGNS[kind]
    different: list[Tried] = []
    nearly: list[Tried] = []
    set_apart = _once(
        each for each in chain(_candidates(kind, formulas, paper.read), _in_steps(formulas)) if sign.search(each)
    )
    for formula, typed in chain(((each, False) for each in set_apart), ((line, True) for line in _typed(kind, paper))):
        found = paper.read.judge(kind, formula)
        if found.verdict == "equal":
            return _with_its_heads(formula, paper) if kind == "multi_head" and not typed else (right(), formula)
        if "\n" in formula or _is_another(kind, formula, paper.read):
            continue
        if found.verdict == "different" and found.slip and found.slip not in _STEPS and not typed:
            different.append(Tried(formula, found))
        elif typed or kind not in _ATTEMPTS or _ATTEMPTS[kind].search(formula):
            nearly.append(Tried(formula, found, typed))
    if len(paper.formulas) > len(formulas):
        raise TooMuchToReadError
    if different:
        formula, found, _ = different[0]
        title = found.title or found.reason
        slip = Slip(values=(), title=title, hint=found.hint or "", id=f"formula_{found.slip}")
        return wrong(_read_as(found, told=title), slip=slip), formula
    return _doubtful(paper, nearly)


_COUNTS = re.compile(r"\s*[A-Za-z](?:_\w)?\s*=\s*\d")
"""i = 0, 1, …; h = 8"""
_HEAD_IS = re.compile(r"^[^=]{0,30}head[^=]{0,12}_[^=]{1,8}=")


def _with_its_heads(formula: str, paper: Paper) -> tuple[Judged, str]:
    """Accept a multi-head formula unless what the heads are is said elsewhere, and is something else."""
    others = () if re.search(r"head[^=]{0,12}=", formula) else _candidates("multi_head", _looked_at(paper), paper.read)
    heads = [f"{formula}\n{other}" for other in others if _HEAD_IS.search(other)]
    found = {both: paper.read.judge("multi_head", both) for both in heads[:MOST_LINES]}
    spoilt = next((both for both, one in found.items() if one.verdict == "different" and one.slip), "")
    if not spoilt or any(one.verdict == "equal" for one in found.values()):
        return right(), formula
    return for_a_person(f"{_read_as(found[spoilt])} A person looks at how the heads are defined."), spoilt


def _doubtful(paper: Paper, nearly: Sequence[Tried]) -> tuple[Judged, str]:
    """Tell a person and the student what was seen that may be the formula, and where."""
    if not nearly and not paper.formulas:
        names = ", ".join(list(paper.sources)[:3])
        return for_a_person(f"Nothing is set as a formula in {names}; a person looks for it in the PDF."), ""
    if not nearly:
        return for_a_person("This formula was not found in the source; a person looks for it."), ""
    # what is set as a formula comes first, and of that what could be read
    formula, found, typed = min(nearly, key=lambda tried: (tried.typed, tried.found.verdict != "different"))
    read = found.verdict == "different"
    if typed:
        beside = f" {found.reason} Raised letters may be lost there" if read else ""
        told = f"It is typed as text ({quoted(formula)}).{beside}; a person decides."
    elif read:
        told = f"{_read_as(found).rstrip('.')}. That may be a step on the way; a person looks for the rest."
    else:
        told = f"{quoted(formula)} is not read: {found.reason.rstrip('.')}. A person reads it."
    return for_a_person(told), formula


def _read_as(found: Any, told: str = "") -> str:
    """Say how a formula was read, and why it is wrong unless that is told already."""
    reason = "" if found.reason.rstrip(".") == told.rstrip(".") else f" {found.reason}"
    reading = _JOINED.sub(r"\1_1, …, \1_h", found.reading)
    return f"Read as {quoted(reading, 120)}.{reason}"


_JOINED = re.compile(r"\[?concat_\{#=1\}\^h ([^()\[\]#]{1,40})_#\]?")
"""Heads side by side, as the reader of formulas writes them."""


# ---------------------------------------------------------------------------------------------------- where to look


def _looked_at(paper: Paper) -> tuple[str, ...]:
    lengths = accumulate(map(len, paper.formulas))
    count = sum(1 for length in islice(lengths, MOST_FORMULAS) if length <= MOST_CHARACTERS)
    return paper.formulas[:count]


def _once(texts: Iterable[str]) -> Iterable[str]:
    """Yield each text where it comes first."""
    seen: set[str] = set()
    for text in texts:
        if text not in seen:
            seen.add(text)
            yield text


def _candidates(kind: str, formulas: Iterable[str], read: FormulasRead) -> Iterable[str]:
    """Yield every formula, and the rows (or what stands side by side in one) of those that have several.

    What is wrong as a whole, such as a formula beside a definition that spoils it, is not taken apart.
    """
    for formula in dict.fromkeys(map(_on_one_line, formulas)):
        yield formula
        pieces = re.split(r"\\\\(?:\[[^\]]*\])?|\n|[,;]?\s*\\q?quad(?![A-Za-z])", formula)
        rows = [piece.replace("&", " ").strip(" ,;") for piece in pieces]
        if len(rows) > 1 and not (_SIGNS[kind].search(formula) and read.judge(kind, formula).verdict == "different"):
            yield from (row for row in rows if row)


def _on_one_line(formula: str) -> str:
    """Join the lines of one formula that its source breaks; what has several equations stays as it is."""
    several = "\\\\" in formula or sum("=" in line for line in formula.split("\n")) > 1
    return formula if several else " ".join(formula.split())


def _in_steps(formulas: Sequence[str]) -> Iterable[str]:
    """Yield two and three formulas in a row as one, A = softmax(…), then O = AV, and each after what may define it.

    What stands inside a sentence between them (a size, a name) is passed over.
    """
    equations = [f for f in formulas if "=" in f and len(f) >= SHORTEST and not _COUNTS.match(f)]
    for rows in (equations, formulas):
        for count in (2, 3):
            yield from ("\n".join(rows[at : at + count]) for at in range(len(rows) - count + 1))
    for at, formula in enumerate(equations):
        yield from (f"{other}\n{formula}" for other in equations[max(0, at - BEFORE) : max(0, at - 1)])


def _typed(kind: str, paper: Paper) -> Iterable[str]:
    """Return the lines that may be the formula, typed as plain text.

    How superscripts were set may be lost in them, so that they make nothing wrong.
    """
    lines = (b.text.rpartition(": ")[2].strip().rstrip(".,;") for b in paper.blocks if b.kind == "text")
    return islice(
        (x for x in lines if len(x) <= LONGEST_LINE and _SIGNS[kind].search(x) and _looks_typed(x)), MOST_LINES
    )


_PROSE = re.compile(
    r"\b(?:the|is|are|was|were|we|i|it|that|which|and|of|to|by|this|with|so|der|die|das|ist|und|wir|mit|because)\b",
    re.IGNORECASE,
)


def _looks_typed(line: str) -> bool:
    """Whether a line of text is a formula and no sentence about one."""
    return re.search(r"=|[a-z]{3}\s*\(.*[+·*,(].*\)", line) is not None and not _PROSE.search(line)


def _is_another(kind: str, formula: str, read: FormulasRead) -> bool:
    return any(other != kind and sign.search(formula) and read.judge(other, formula).verdict == "equal"
               for other, sign in _SIGNS.items())  # fmt: skip
