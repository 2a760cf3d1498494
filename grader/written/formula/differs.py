"""What to say where no convention makes a formula right: a named slip, a plain difference, or a person's eye."""

from __future__ import annotations

from dataclasses import dataclass, field

from grader.written.formula.compare import (
    Found,
    Side,
    has_numbers,
    points,
    shifted,
    slip_at,
    square_points,
    value_of,
)
from grader.written.formula.document import Document
from grader.written.formula.equality import groups, quietly_equal, reachable, spelled_out
from grader.written.formula.functions import sublayers
from grader.written.formula.kinds import Kind
from grader.written.formula.lines import used_names
from grader.written.formula.tokens import THOUSANDS
from grader.written.formula.tree import FormulaError, Sum, Sym, walk


@dataclass(frozen=True, slots=True)
class FormulaVerdict:
    """What was found about one formula.

    verdict: "equal", "different" or "review". slip and title: the named mistake, where there is one ("a+b": two).
    reason: one sentence for the student or the reviewer. reading: the formula as it was understood. hint: a
    question that leads on, where a slip is named. work: how much it took to find this.
    """

    verdict: str
    slip: str | None
    title: str | None
    reason: str
    reading: str
    hint: str | None = None
    work: int = field(default=0, compare=False)


def _named(found: Found, reading: str) -> FormulaVerdict:
    slips = found.slips
    return FormulaVerdict(
        "different",
        "+".join(sorted(slip.id for slip in slips)),
        " ".join(slip.title for slip in slips),
        " ".join(slip.title for slip in slips),
        reading,
        slips[0].hint,
    )


def different(kind: Kind, document: Document, sides: list[Side], reading: str) -> FormulaVerdict:
    """Name the slip of a formula that has a value but not the key's, or say why a person should look."""
    best: Found | None = None
    for side in sides:
        for number in groups(kind, side):
            try:
                found = slip_at(kind.id, side, number)
            except FormulaError:
                continue
            if found and (best is None or len(found.slips) < len(best.slips)):
                best = found
    unsure = any(doubt.endswith(THOUSANDS) for doubt in document.doubts)
    if best is not None and not unsure and not _ambiguous(kind, sides):
        return _named(best, reading)
    plain = any(_plainly(kind, side) for side in sides)
    if not plain and not unsure:
        named = misfit(kind, sides, reading, "")
        if named.slip:
            return named
    reason = _uncertain(kind, document, sides)
    if reason is None and not plain:
        reason = "It can be evaluated only in an unusual convention; a person should look."
    if reason:
        return FormulaVerdict("review", None, None, reason, reading)
    return FormulaVerdict("different", None, None, "Its value differs from the paper's formula.", reading)


def _plainly(kind: Kind, side: Side) -> bool:
    """Say whether the side has a value where data are rows and weights stand to their right."""
    for number in groups(kind, side):
        setting = points(kind.id)[number][0]
        try:
            if setting.world is setting.plain:
                value_of(side, setting)
                return True
        except FormulaError:
            continue
    return False


def _ambiguous(kind: Kind, sides: list[Side]) -> bool:
    """Say whether another honest convention would make the formula right: columns counted from one."""
    if kind.id not in {"pe_sin", "pe_cos", "noam"}:
        return False
    return any(quietly_equal(kind, shifted(side)) for side in sides)


def _uncertain(kind: Kind, document: Document, sides: list[Side]) -> str | None:  # noqa: PLR0911 - a reason, a line
    """Return why a difference without a name should be looked at by a person, or None."""
    if _ambiguous(kind, sides):
        return "Right if columns are counted from one, or steps from zero; a person should look."
    if document.doubts:
        return document.doubts[0]
    if document.code or len(sides) > 1:
        return "Its value differs, but it may be meant otherwise; a person should look."
    trees = reachable(sides[0])
    if any(isinstance(part, Sum) or (isinstance(part, Sym) and part.index) for tree in trees for part in walk(tree)):
        return "Its value differs, but its indices may be meant otherwise; a person should look."
    if kind.id == "add_norm" and spelled_out(sides[0]):
        return "LayerNorm is written out in another way than we know; a person should look."
    if kind.id == "add_norm" and "layernorm" not in {name for tree in trees for name in used_names([tree])}:
        return "Its value differs, but what the functions are is not said; a person should look."
    if kind.id == "add_norm" and any("addnorm" in name.lower() for tree in trees for name in sublayers(tree)):
        return "Add & Norm is named, not written out; a person should look."
    if kind.id == "add_norm" and len({name for tree in trees for name in sublayers(tree)}) > 2:  # noqa: PLR2004
        return "Its value differs, but its functions may be meant otherwise; a person should look."
    if has_numbers(trees) and kind.id in {"attention", "noam"}:
        return "It holds a number whose meaning is not clear; a person should look."
    return None


def misfit(kind: Kind, sides: list[Side], reading: str, reason: str) -> FormulaVerdict:
    """Where shapes do not fit, only a slip that explains the formula exactly makes it wrong."""
    for side in sides:
        for number in range(len(square_points(kind.id))):
            try:
                found = slip_at(kind.id, side, number, square=True)
            except FormulaError:
                continue
            if found:
                return _named(found, reading)
    return FormulaVerdict("review", None, None, f"The shapes do not fit: {reason}", reading)
