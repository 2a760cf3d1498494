"""The verdict on one formula: equal, different with the named slip, or for a person to read."""

from __future__ import annotations

import re
from dataclasses import replace

from grader.written.formula.claims import judge_variance
from grader.written.formula.compare import Side
from grader.written.formula.differs import FormulaVerdict, different, misfit
from grader.written.formula.document import Document, open_document
from grader.written.formula.equality import is_equal, with_statistics
from grader.written.formula.kinds import KINDS, Kind, kind_of
from grader.written.formula.lines import Line, in_two_parts
from grader.written.formula.mains import loose, mains
from grader.written.formula.piecewise import by_parity, chosen, heads
from grader.written.formula.readings import variants
from grader.written.formula.tree import (
    Call,
    FormulaError,
    Mul,
    Node,
    ShapeError,
    Sym,
    UnknownNameError,
    UnreadableError,
    show,
    walk,
)
from grader.written.formula.words import is_partial, speaks_of_sizes, strangers
from grader.written.formula.work import TooMuchWorkError, Work

_WORDS = re.compile(
    r"(?<![\w\\])(?:the|an?|is|are|of|we|with|where|then|and|so|has|have|mean|variance)\s", re.IGNORECASE
)
_COMMANDS = re.compile(r"\\(?:text|mathrm)\s?\{|[{}$]")
_ARROW = re.compile(r"→|->|\\(?:to|rightarrow|longrightarrow)(?![A-Za-z])")
_TAKEN_OUT = re.compile(
    r"\)\s?\[\s?-?\d\s?\]|^[ \t]*(?:def\b.*:\s)?return\b(?:[^,()\n]|\((?:[^()\n]|\([^()\n]*\))*\))+,", re.MULTILINE
)
"""One of several results, attention(x, x, x)[0], or several that are returned."""


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
        found = FormulaVerdict("review", None, None, "The formula could not be read.", "")
    return replace(found, work=work.done)


_OTHER_WAVE = {"pe_sin": "pe_cos", "pe_cos": "pe_sin"}
_UNSEEN = {0x2061: "", 0x2062: " ", 0x2063: ",", 0x200B: "", 0xFEFF: ""}
"""Signs that editors of formulas write and nobody sees: a function is applied, factors or indices stand together."""


def examine(kind: str, source: str, work: Work | None = None) -> FormulaVerdict:
    """Judge as judge_formula does, but let our own faults through; tests look for them here."""
    source = source.translate(_UNSEEN)
    if _TAKEN_OUT.search(source):
        return FormulaVerdict("review", None, None, "It takes one of several results; a person should look.", "")
    work = work or Work()
    parts = by_parity(source)
    if parts is not None and kind in parts:
        found, other = (_as_notation(name, parts[name], work) for name in (kind, _OTHER_WAVE[kind]))
        if found.verdict == "equal" and other.verdict != "equal":
            return replace(
                found, verdict="review", reason="Of its two cases only this one is right; a person should look."
            )
        source = parts[kind]
    else:
        source = chosen(heads(source))
        found = _as_notation(kind, source, work)
    if found.verdict == "review":
        return found
    beside = strangers(kind_of(kind), source, equal=found.verdict == "equal")
    if not beside:
        return found
    told = "A person reads what stands beside it: " + ", ".join(dict.fromkeys(beside[:5])) + "."
    return FormulaVerdict("review", None, None, told, found.reading)


def _as_notation(kind: str, source: str, work: Work) -> FormulaVerdict:
    what = kind_of(kind)
    reading = ""
    try:
        document = open_document(what, source, work)
        reading = document.text[:600]
        if kind == "variance":
            verdict, slip, title, reason, hint = judge_variance(document)
            found = FormulaVerdict(verdict, slip, title, reason, reading, hint)
        else:
            found = _judge(what, document, reading)
    except FormulaError as error:
        return FormulaVerdict("review", None, None, str(error), reading)
    except TooMuchWorkError:
        return FormulaVerdict("review", None, None, "It takes too many steps to judge; a person should look.", reading)
    # what stands under the root, words may say
    named = found.slip is not None and ("root" not in found.slip or not speaks_of_sizes(source))
    loose = found.verdict == "different" and not named and bool(_WORDS.search(_COMMANDS.sub(" ", source)))
    beside = in_two_parts(document.lines) or document.prose or is_partial(source) or _ARROW.search(source)
    if found.verdict == "different" and (loose or beside):
        why = "Its value differs, and what stands beside it may be a part of it; a person should look."
        return FormulaVerdict("review", None, None, why, reading)
    return found


def _judge(kind: Kind, document: Document, reading: str) -> FormulaVerdict:
    judged = mains(kind, document, lambda other, line: _judge_line(other, document, line, "").verdict == "equal")
    verdicts = [_judge_line(kind, document, line, reading) for line in judged]
    worst = [verdict for verdict in verdicts if verdict.verdict != "equal"]
    if not worst:
        beside = loose(kind, document, judged)
        if beside:
            reason = f"The formula is right, but “{beside.left or show(beside.sides[0])}” beside it was not judged."
            return FormulaVerdict("review", None, None, reason, reading)
        return verdicts[0]
    if len(worst) < len(verdicts):
        return FormulaVerdict("review", None, None, "Of several formulas not all are the one asked for.", reading)
    return worst[-1]


def _judge_line(kind: Kind, document: Document, line: Line, reading: str) -> FormulaVerdict:
    results = []
    unread: list[FormulaError] = []
    for tree in line.sides:
        side = Side(tree, document.definitions, document.sizes, document.work)
        side = with_statistics(side) if kind.opaque else side
        try:
            results.append(_judge_side(kind, document, line, side, reading))
        except UnknownNameError as error:
            if len(line.sides) > 1 and _plain_product(tree):
                continue
            unread.append(error)
    if unread or not results:
        raise unread[0] if unread else UnreadableError("No side of the equation could be evaluated.")
    for result in results:
        if result.verdict != "equal":
            return result
    return results[0]


def _plain_product(tree: Node) -> bool:
    """Say whether a side only names things, as `AV` in `O = AV = softmax(…)V` does."""
    return all(isinstance(part, Sym | Mul) for part in walk(tree)) or (
        isinstance(tree, Call) and all(isinstance(arg, Sym) for arg in tree.args)
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
        return different(kind, document, understood, reading)
    if shapes:
        return misfit(kind, shapes, reading, str(failure))
    raise failure or UnreadableError("The formula could not be evaluated.")
