"""The verdict on one formula: equal, different with the named slip, or for a person to read."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from grader.written.formula.document import BASE, Document, open_document
from grader.written.formula.equality import (
    Side,
    groups,
    has_numbers,
    is_equal,
    quietly_equal,
    shifted,
    slip_at,
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
from grader.written.formula.kinds import KINDS, FormulaVerdict, Kind, Slip, kind_of, named, review
from grader.written.formula.lexer import THOUSANDS
from grader.written.formula.meant import Line
from grader.written.formula.pieces import by_parity, chosen, heads, with_results
from grader.written.formula.readings import variants
from grader.written.formula.tree import Node, show, used_names, walk
from grader.written.formula.variance import judge_variance
from grader.written.formula.vocabulary import FUNCTIONS, SIZE_NAMES, words
from grader.written.formula.words import is_partial, strangers
from grader.written.formula.worlds import square_points

IsRight = Callable[[Kind, Line], bool]


def _closure(document: Document, line: Line) -> set[str]:
    """Return every name a line reaches through definitions."""
    sides = [Side(side, document.definitions) for side in line.sides]
    return used_names(tree for side in sides for tree in side.reachable)


def mains(kind: Kind, document: Document, is_right: IsRight) -> list[Line]:
    """Return the lines to judge: those that nothing else uses and that look like the formula asked for."""
    lines = [line for line in document.lines if not _trivial(line)]
    if not lines:
        raise UnreadableError("No formula was found.")
    # a name and whether it carries an index: H and H_i are two things
    used = {
        (part.name, part.op == "sym" and bool(part.parts))
        for line in lines for side in line.sides for part in walk(side) if part.op in {"sym", "call"}
    }  # fmt: skip
    own = {line.name for line in lines if line.names and not line.called}
    plain = {line.name for line in lines if not line.names}
    whole = kind.id in {"attention", "add_norm", "ffn"}  # A_ij is an entry of A where nothing else is called so

    def is_used(line: Line) -> bool:
        indexed = bool(line.names) and not line.called
        as_entry = (line.name, True) in used and not line.names and line.name not in own
        as_whole = (line.name, False) in used and indexed and line.name not in plain
        return (line.name, indexed) in used or (whole and not line.called and (as_entry or as_whole))

    roots = [line for line in lines if line.name is None or not is_used(line)]
    if not roots:
        raise UnreadableError("Every line uses another; which is the formula is not clear.")
    named = [line for line in roots if line.name in kind.main and line.called]
    if len(named) == 1:
        return [*named, *(line for line in roots if line is not named[0] and line.name is None)]
    bare = [line for line in roots if line.name is None]
    if len(bare) > 1 and kind.opaque:  # one for each sublayer: all of them are judged
        return bare
    if len(bare) > 1:
        parts = {part for line in lines for side in line.sides for part in walk(side) if part is not side}
        bare = [line for line in bare if len(line.sides) > 1 or line.sides[0] not in parts]
        roots = [line for line in roots if line.name is not None or line in bare]
    if len(bare) > 1 or not roots:
        raise UnreadableError("Several expressions stand side by side; which is the formula is not clear.")
    signed = [line for line in roots if kind.signs & _closure(document, line)]
    if kind.waves and len(signed) == 2:
        return [_of_pair(kind, document, signed, is_right)]
    formulas = [line for line in roots if line.sides[-1].op != "num"]  # not warmup_steps = 4000
    return signed or (formulas or roots)[-1:]


def _trivial(line: Line) -> bool:
    """Say whether a bare line is only the formula's name, such as `FFN(x)` before a colon."""
    tree = line.sides[0]
    known = tree.op == "call" and tree.name in FUNCTIONS.values() and tree.name != "attention"
    plain = tree.op == "sym" or (tree.op == "call" and all(part.op == "sym" for part in tree.parts))
    return line.name is None and len(line.sides) == 1 and plain and not known


def _of_pair(kind: Kind, document: Document, lines: list[Line], is_right: IsRight) -> Line:
    """Of a sine and a cosine line return the one asked for, where the other is right as well."""
    wanted, other = ("sin", "pe_cos") if kind.id == "pe_sin" else ("cos", "pe_sin")
    told = [re.search(r"2[*·]?[a-z](\+1)?[)\]]*$", line.left) for line in lines]
    sides = ["" if side is None else "cos" if side[1] else "sin" for side in told]
    by_left = {*sides} == {"sin", "cos"}  # the left sides say which is which
    mine = [
        side == wanted if by_left else wanted in _closure(document, line)
        for line, side in zip(lines, sides, strict=True)
    ]
    if mine.count(True) == 1:
        line, rest = lines[mine.index(True)], lines[mine.index(False)]
        if (by_left and not is_right(kind, line)) or is_right(kind_of(other), rest):
            return line
    raise UnreadableError("Sine and cosine are given together; a person should look at both.")


def loose(kind: Kind, document: Document, judged: list[Line]) -> Line | None:
    """Return a line the verdict does not rest on and that is not plainly true, or None."""
    reached = set().union(*(_closure(document, line) for line in judged))
    inside: set[Node] = {part for line in judged for side in line.sides for part in walk(side)}
    inside |= {
        part for line in document.lines if line.name in reached for side in line.sides for part in walk(side)
        if part is not side
    }  # fmt: skip
    for line in document.lines:
        if line in judged or _trivial(line) or (line.name is not None and line.name in reached):
            continue
        number = len(line.sides) == 1 and line.sides[0].op == "num" and line.name in kind.roles
        sibling = kind.waves and {"sin", "cos"} & _closure(document, line)
        size = line.name in SIZE_NAMES or line.name in {"h", "num_heads"}
        result = line.name in kind.main | _RESULTS  # the output is Q: no part of the formula is all of it
        if not (number or sibling or size or (not result and any(side in inside for side in line.sides))):
            return line
    return None


def in_two_parts(lines: tuple[Line, ...]) -> bool:
    """Say whether a name is given two values that have nothing to do with each other: one for each case."""
    versions: dict[str, list[Line]] = {}
    for line in lines:
        if line.name and "~" in line.name:
            versions.setdefault(line.name.partition("~")[0], []).append(line)
    return any(
        all(first.name not in used_names(later.sides) for first in found for later in found if later is not first)
        for found in versions.values() if len(found) > 1
    )  # fmt: skip


_ARROW = re.compile(r"→|->|\\(?:to|rightarrow|longrightarrow)(?![A-Za-z])")
_TAKEN_OUT = re.compile(
    r"\)\s?\[\s?-?\d\s?\]|^[ \t]*(?:def\b.*:\s)?return\b(?:[^,()\n]|\((?:[^()\n]|\([^()\n]*\))*\))+,", re.MULTILINE
)
"""One of several results, attention(x, x, x)[0], or several that are returned."""
_RESULTS = words("names", "results")
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
    source = parts[kind] if parts else with_results(chosen(heads(source)))
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
    found: list[Slip | None] = []
    plain = False
    for side in sides:
        for number, group in groups(kind, side):
            try:
                plain = plain or (group[0].world is group[0].plain and value_of(side, group[0]) is not None)
                found.append(slip_at(kind.id, side, number))
            except FormulaError:
                continue
    best = next(filter(None, found), None)
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
                slip = slip_at(kind.id, side, number, square=True)
            except FormulaError:
                continue
            if slip:
                return named(slip, reading)
    return None
