"""The verdict on one formula: equal, different with the named slip, or for a person to read."""

from __future__ import annotations

from dataclasses import replace

from grader.written.formula.claims import judge_variance
from grader.written.formula.compare import Side
from grader.written.formula.differs import FormulaVerdict, different, misfit
from grader.written.formula.document import Document, open_document
from grader.written.formula.equality import ONLY_AS_TOLD, is_equal, with_statistics
from grader.written.formula.kinds import KINDS, Kind, kind_of
from grader.written.formula.lines import Line, in_two_parts
from grader.written.formula.mains import loose, mains
from grader.written.formula.readings import variants
from grader.written.formula.told import says_other_size, told_size_names
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
from grader.written.formula.trials import has_parts, runs_right
from grader.written.formula.wording import branches, is_pipeline, is_said_in_words, is_sentence, says_otherwise
from grader.written.formula.work import TooMuchWorkError, Work


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


def examine(kind: str, source: str, work: Work | None = None) -> FormulaVerdict:
    """Judge as judge_formula does, but let our own faults through; tests look for them here."""
    work = work or Work()
    found = _as_notation(kind, source, work)
    if found.verdict == "equal":
        against = says_other_size(kind, source)
        if not against and has_parts(source) and not runs_right(kind, source, work):
            against = "It holds more than one result; a person should look."
        return FormulaVerdict("review", None, None, against, found.reading) if against else found
    if found.reason == ONLY_AS_TOLD or not runs_right(kind, source, work):  # a run would see no more than these sizes
        return found
    if says_otherwise(kind, source, found.reading):
        return found
    doubt = says_other_size(kind, source) or ("As a program it gives the paper's values." if found.slip else None)
    if doubt:
        return FormulaVerdict("review", None, None, doubt, found.reading)
    return FormulaVerdict("equal", None, None, "Run as a program it gives the paper's values.", found.reading)


def _as_notation(kind: str, source: str, work: Work) -> FormulaVerdict:
    what = kind_of(kind)
    reading = ""
    try:
        document = open_document(what, told_size_names(kind, source), work)
        reading = document.text[:600]
        if kind == "variance":
            verdict, slip, title, reason, hint = judge_variance(document)
            if verdict == "equal" and (against := says_otherwise(kind, source, reading)):
                return FormulaVerdict("review", None, None, against, reading)
            return FormulaVerdict(verdict, slip, title, reason, reading, hint)
        found = _judge(what, document, reading)
    except FormulaError as error:
        return FormulaVerdict("review", None, None, str(error), reading)
    except TooMuchWorkError:
        return FormulaVerdict("review", None, None, "It takes too many steps to judge; a person should look.", reading)
    against = says_otherwise(kind, source, reading) if found.verdict == "equal" else None
    if found.verdict == "different":
        against = _unsure(kind, source, reading, document)
        lost = "-no-" in (found.slip or "-no-") and _holds_formula(document)  # what is missing may be said there
        if is_sentence(source) and (found.slip is None or lost):
            against = against or "Its value differs, but it stands in a sentence; a person should look."
    return FormulaVerdict("review", None, None, against, reading) if against else found


def _holds_formula(document: Document) -> bool:
    """Say whether what was put aside as words holds an equation, a call or a product such as AV."""
    letters = {"q", "k", "v", *(line.name.lower() for line in document.lines if line.name and len(line.name) == 1)}
    products = any(len(word) == 2 and set(word) <= letters for word in document.prose)  # noqa: PLR2004 - two letters
    return products or bool(document.prose & {"=", "("})


def _unsure(kind: str, source: str, reading: str, document: Document) -> str | None:
    """Return why a formula that seems wrong may be only a part of what is said, or None."""
    if in_two_parts(document.lines):
        return "One name is given twice; a person should look."
    if branches(source) and "choose" not in reading and kind not in {"pe_sin", "pe_cos"}:
        return "It chooses between formulas; a person should look."
    if document.prose & {"·", "*", "@", "⊙"} and is_sentence(source, 2):
        return "A part of it stands in a sentence; a person should look."
    if is_said_in_words(source) or is_pipeline(source):
        return "It is said in words; a person should look."
    return None


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
