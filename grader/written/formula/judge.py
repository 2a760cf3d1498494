"""The verdict on one formula: equal, different with the named slip, or for a person to read."""

from __future__ import annotations

import re
from dataclasses import replace

from grader.written.formula.cases import by_parity, chosen, heads
from grader.written.formula.document import Document, open_document
from grader.written.formula.equality import (
    Side,
    groups,
    has_numbers,
    is_equal,
    quietly_equal,
    value_of,
)
from grader.written.formula.errors import (
    FormulaError,
    ShapeError,
    TooMuchWorkError,
    UnknownNameError,
    UnreadableError,
    Work,
)
from grader.written.formula.functions import sublayers
from grader.written.formula.kinds import KINDS, Kind, Slip, kind_of
from grader.written.formula.lexer import THOUSANDS
from grader.written.formula.mains import in_two_parts, loose, mains
from grader.written.formula.meant import Line
from grader.written.formula.readings import variants
from grader.written.formula.sizes import BASE
from grader.written.formula.slips import shifted, slip_at
from grader.written.formula.tree import Node, show, used_names, walk
from grader.written.formula.variance import judge_variance
from grader.written.formula.verdicts import FormulaVerdict, named, review
from grader.written.formula.words import is_partial, strangers
from grader.written.formula.worlds import square_points

_ARROW = re.compile(r"→|->|\\(?:to|rightarrow|longrightarrow)(?![A-Za-z])")
_TAKEN_OUT = re.compile(
    r"\)\s?\[\s?-?\d\s?\]|^[ \t]*(?:def\b.*:\s)?return\b(?:[^,()\n]|\((?:[^()\n]|\([^()\n]*\))*\))+,", re.MULTILINE
)
"""One of several results, attention(x, x, x)[0], or several that are returned."""
_UNSEEN = {0x2061: "", 0x2062: " ", 0x2063: ",", 0x200B: "", 0xFEFF: ""}
"""Signs that editors of formulas write and nobody sees: a function is applied, factors or indices stand together."""


def judge_formula(kind: str, source: str) -> FormulaVerdict:
    """Judge one formula of the paper.

    Values are compared at fixed random points, with matrices of different sizes, so that neither order nor a
    missing transpose goes unseen. "different" is said only where every symbol is understood; all that is unclear
    is "review". Hostile text ends in "review" too. Raises ValueError for an unknown kind.
    """
    if kind not in KINDS:
        raise ValueError(f"There is no formula kind {kind!r}; the kinds are {', '.join(KINDS)}.")
    work = Work()
    try:
        found = examine(kind, source, work)
    except (ArithmeticError, LookupError, RecursionError, TypeError, ValueError):
        # A formula is a stranger's text: a gap in our reader sends it to a person and stops nobody's grading.
        found = review("The formula could not be read.")
    return replace(found, work=work.done)


def examine(kind: str, source: str, work: Work | None = None) -> FormulaVerdict:
    """Judge as judge_formula does, but let our own faults through; tests look for them here."""
    source = source.translate(_UNSEEN)
    if _TAKEN_OUT.search(source):
        return review("It takes one of several results; a person should look.")
    work = work or Work()
    parts = by_parity(source) if kind_of(kind).waves else None
    source = parts[kind] if parts else chosen(heads(source))
    found = _judge_text(kind_of(kind), source, work)
    if parts:
        other = next(name for name in parts if name != kind)
        if found.verdict == "equal" and _judge_text(kind_of(other), parts[other], work).verdict != "equal":
            return replace(
                found, verdict="review", reason="Of its two cases only this one is right; a person should look."
            )
    if found.verdict == "review":
        return found
    beside = strangers(kind_of(kind), source, equal=found.verdict == "equal")
    told = "A person reads what stands beside it: " + ", ".join(dict.fromkeys(beside[:5])) + "."
    return review(told, found.reading) if beside else found


def _judge_text(kind: Kind, source: str, work: Work) -> FormulaVerdict:
    reading = ""
    try:
        document = open_document(kind, source, work)
        reading = document.text[:600]
        found = judge_variance(document, reading) if kind.chance else _judge(kind, document, reading)
    except FormulaError as error:
        return review(str(error), reading)
    except TooMuchWorkError:
        return review("It takes too many steps to judge; a person should look.", reading)
    if found.verdict != "different":
        return found
    beside = in_two_parts(document.lines) or document.prose or is_partial(source) or _ARROW.search(source)
    if beside:
        return review(
            "Its value differs, and what stands beside it may be a part of it; a person should look.", reading
        )
    return found


def _judge(kind: Kind, document: Document, reading: str) -> FormulaVerdict:
    judged = mains(kind, document, lambda other, line: _judge_line(other, document, line, "").verdict == "equal")
    verdicts = [_judge_line(kind, document, line, reading) for line in judged]
    worst = [verdict for verdict in verdicts if verdict.verdict != "equal"]
    if worst:
        several = len(worst) < len(verdicts)
        return review("Of several formulas not all are the one asked for.", reading) if several else worst[-1]
    beside = loose(kind, document, judged)
    if beside:
        said = beside.left or show(beside.sides[0])
        return review(f"The formula is right, but “{said}” beside it was not judged.", reading)
    return verdicts[0]


def _judge_line(kind: Kind, document: Document, line: Line, reading: str) -> FormulaVerdict:
    results = []
    unread: list[FormulaError] = []
    for tree in line.sides:
        side = Side(tree, document.definitions, document.sizes, document.work)
        try:
            results.append(_judge_side(kind, document, line, side, reading))
        except UnknownNameError as error:
            if len(line.sides) == 1 or not _only_names(tree):
                unread.append(error)
    if unread or not results:
        raise unread[0] if unread else UnreadableError("No side of the equation could be evaluated.")
    return next((result for result in results if result.verdict != "equal"), results[0])


def _only_names(tree: Node) -> bool:
    """Say whether a side only names things, as `AV` in `O = AV = softmax(…)V` does."""
    return all(part.op in {"sym", "*", "⊙"} for part in walk(tree)) or (
        tree.op == "call" and all(part.op == "sym" for part in tree.parts)
    )


def _judge_side(kind: Kind, document: Document, line: Line, side: Side, reading: str) -> FormulaVerdict:
    failure: FormulaError | None = None
    understood: list[Side] = []
    shapes: list[Side] = []
    for variant, note in variants(kind, document, line, side):
        try:
            if is_equal(kind, variant):
                return FormulaVerdict("equal", None, None, note or "It has the value of the paper's formula.", reading)
            understood.append(variant)
        except ShapeError as error:
            shapes.append(variant)
            failure = failure if isinstance(failure, ShapeError) else error
        except FormulaError as error:
            failure = failure if failure and not isinstance(failure, UnknownNameError) else error
    if understood:
        return _different(kind, document, understood, reading)
    if shapes:
        return _misfit(kind, shapes, reading) or review(f"The shapes do not fit: {failure}", reading)
    raise failure or UnreadableError("The formula could not be evaluated.")


# ------------------------------------------------------------------------------- where no convention makes it right


def _different(kind: Kind, document: Document, sides: list[Side], reading: str) -> FormulaVerdict:
    """Name the slip of a formula that has a value but not the key's, or say why a person should look."""
    found: list[tuple[Slip, ...]] = []
    plain = False
    for side in sides:
        for number, group in groups(kind, side):
            try:
                plain = plain or (group[0].world is group[0].plain and value_of(side, group[0]) is not None)
                found.append(slip_at(kind.id, side, number))
            except FormulaError:
                continue
    best = min(filter(None, found), key=len, default=())
    sure = not any(doubt.endswith(THOUSANDS) for doubt in document.doubts)
    sure = sure and all(BASE.get(name) == value for name, value in document.sizes)  # of other sizes it may be right
    shifts = kind.scalar and any(quietly_equal(kind, shifted(side)) for side in sides)
    if best and sure and not shifts:
        return named(best, reading)
    if not plain and sure and (misfit := _misfit(kind, sides, reading)):
        return misfit
    if not plain or not sure or shifts or document.doubts or _is_open(kind, document, sides):
        return review(
            (*document.doubts, "Its value differs, but it may be meant otherwise; a person should look.")[0], reading
        )
    return FormulaVerdict("different", None, None, "Its value differs from the paper's formula.", reading)


def _is_open(kind: Kind, document: Document, sides: list[Side]) -> bool:
    """Say whether a difference without a name may be meant otherwise: code, several readings, indices, numbers."""
    trees = sides[0].reachable
    layers = {name for tree in trees for name in sublayers(tree)}
    indexed = any(part.op in {"sum", "join"} or (part.op == "sym" and part.parts) for part in sides[0].all_parts())
    strange = "layernorm" not in used_names(trees) or len(layers) > 2
    strange = strange or any("addnorm" in name.lower() for name in layers)
    number = kind.id in {"attention", "noam"} and has_numbers(trees)
    return document.code or len(sides) > 1 or indexed or (kind.opaque and strange) or number


def _misfit(kind: Kind, sides: list[Side], reading: str) -> FormulaVerdict | None:
    """Where shapes do not fit, only a slip that explains the formula exactly makes it wrong."""
    for side in sides:
        for number in range(len(square_points(kind.id))):
            try:
                slips = slip_at(kind.id, side, number, square=True)
            except FormulaError:
                continue
            if slips:
                return named(slips, reading)
    return None
