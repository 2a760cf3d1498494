"""Rubric × outcomes → marks: a pure function in exact decimal arithmetic; no code is run to change a weight."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

from grader.catalog.worth import gained, verdict_of, worth
from grader.model.assignment import Criterion, Rubric, RubricCheck
from grader.model.outcome import Outcome, Tells, Verdict
from grader.model.report import Mark

ZERO = Decimal(0)


def score(rubric: Rubric, outcomes: Iterable[Outcome]) -> tuple[Mark, ...]:
    """Return one mark per criterion, in the rubric's order.

    A check whose prerequisite failed is ``skipped`` and earns nothing; one whose prerequisite waits for a person
    waits too. A check that does not apply (its component has outcomes, but none for it: the hand-out's domain or
    the form handed in leaves it nothing to ask) does not count, and the others share its points. A component
    without any outcome is a fault of ours: its points are pending. Raises ValueError where requirements run in a
    circle (the catalog refuses such a rubric).
    """
    found = {outcome.check: outcome for outcome in outcomes}
    judged = {outcome.component for outcome in found.values()}
    criteria = {criterion.id: _applicable(criterion, found, judged) for criterion in rubric.criteria}
    checks = {check.id: (criterion, check) for criterion in criteria.values() for check in criterion.checks}
    effective: dict[str, Outcome] = {}
    for name in _in_order({name: check.requires for name, (_, check) in checks.items()}):
        criterion, check = checks[name]
        effective[name] = _after_prerequisites(criterion, check, found.get(name), effective)
    marks: dict[str, Mark] = {}
    for name in _in_order({name: criterion.requires for name, criterion in criteria.items()}):
        marks[name] = _mark(criteria[name], effective, marks)
    return tuple(marks[name] for name in criteria)


def unscored(marks: Iterable[Mark], outcomes: Iterable[Outcome]) -> tuple[Outcome, ...]:
    """Return the outcomes that no criterion asks for."""
    asked = {outcome.check for mark in marks for outcome in mark.outcomes}
    return tuple(outcome for outcome in outcomes if outcome.check not in asked)


def nothing(rubric: Rubric) -> tuple[Mark, ...]:
    """Return the marks of a submission that cannot be read: every criterion is listed and earns nothing."""
    return tuple(Mark(criterion, Verdict.UNREADABLE, ZERO, ZERO, ()) for criterion in rubric.criteria)


def _applicable(criterion: Criterion, found: Mapping[str, Outcome], judged: set[str]) -> Criterion:
    kept = tuple(check for check in criterion.checks if check.id in found or check.id.partition(".")[0] not in judged)
    return replace(criterion, checks=kept) if kept else criterion


def select(rubric: Rubric, components: Sequence[str]) -> Rubric:
    """Return ``rubric`` with the criteria that judge one of ``components`` only; all of it where none are named.

    Requirements that point outside the selection are dropped: what is not judged cannot stand in the way.
    """
    if not components:
        return rubric
    kept = [
        replace(criterion, checks=checks, points=_share(criterion, checks))
        for criterion in rubric.criteria
        if (checks := tuple(check for check in criterion.checks if check.id.partition(".")[0] in components))
    ]
    ids = {criterion.id for criterion in kept}
    names = {check.id for criterion in kept for check in criterion.checks}
    return replace(rubric, criteria=tuple(_within(criterion, ids, names) for criterion in kept))


def _share(criterion: Criterion, checks: Sequence[RubricCheck]) -> Decimal:
    """Return the points of some of a criterion's checks; all of them where it is all or nothing."""
    if criterion.credit == "all":
        return criterion.points
    shares = worth(criterion)
    return sum((shares[check.id] for check in checks), ZERO)


def _within(criterion: Criterion, ids: set[str], names: set[str]) -> Criterion:
    checks = tuple(
        replace(check, requires=tuple(name for name in check.requires if name in names)) for check in criterion.checks
    )
    return replace(criterion, checks=checks, requires=tuple(name for name in criterion.requires if name in ids))


def _in_order(requires: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the names, prerequisites first."""
    from graphlib import CycleError, TopologicalSorter

    graph = {name: [other for other in after if other in requires] for name, after in requires.items()}
    try:
        return list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        raise ValueError(f"requirements run in a circle: {error.args[1]}") from error


def _after_prerequisites(
    criterion: Criterion, check: RubricCheck, outcome: Outcome | None, effective: Mapping[str, Outcome]
) -> Outcome:
    if outcome is None:
        component = check.id.partition(".")[0]
        return Outcome(check.id, component, check.id, Verdict.FAULT, message="This check did not run.")
    before = [effective[name] for name in check.requires if name in effective]
    failed = [other for other in before if other.verdict is not Verdict.PASSED and not other.verdict.pending]
    if failed:
        names = _listed(other.title for other in failed)
        return _set_aside(outcome, Verdict.SKIPPED, f"because this did not pass: {names}.")
    waiting = [other for other in before if other.verdict.pending]
    earns = outcome.verdict is Verdict.PASSED or (criterion.credit == "cases" and outcome.passed)
    if waiting and earns:
        names = _listed(other.title for other in waiting)
        return _set_aside(outcome, Verdict.UNDETERMINED, f"Waits until a person has decided: {names}.")
    return outcome


def _listed(titles: Iterable[str]) -> str:
    return ", ".join(f"“{title.rstrip('.')}”" for title in titles)


def _set_aside(outcome: Outcome, verdict: Verdict, message: str) -> Outcome:
    return replace(
        outcome, verdict=verdict, message=message, counterexample=None, diagnosis=None, location=None, passed=0,
        tells=Tells.FOUND, judged=outcome.judged or outcome,
    )  # fmt: skip


def _mark(criterion: Criterion, effective: Mapping[str, Outcome], marks: Mapping[str, Mark]) -> Mark:
    outcomes = tuple(effective[check.id] for check in criterion.checks)
    before = [marks[name] for name in criterion.requires if name in marks]
    failed = [mark for mark in before if mark.verdict is not Verdict.PASSED and not _waits(mark)]
    if failed:
        why = f"because this lost points: {_listed(mark.criterion.title for mark in failed)}."
        skipped = tuple(_set_aside(outcome, Verdict.SKIPPED, why) for outcome in outcomes)
        return Mark(criterion, Verdict.SKIPPED, ZERO, ZERO, skipped, f"Not judged {why}")
    points, pending = _points(criterion, outcomes)
    verdict = verdict_of(outcomes)
    waiting = [mark for mark in before if _waits(mark)]
    if waiting and points:
        reason = "Waits until a person has decided: " + _listed(mark.criterion.title for mark in waiting) + "."
        verdict = Verdict.UNDETERMINED if verdict is Verdict.PASSED else verdict
        return Mark(criterion, verdict, ZERO, pending + points, outcomes, reason)
    return Mark(criterion, verdict, points, pending, outcomes)


def _waits(mark: Mark) -> bool:
    """Whether the criterion may still pass in full once a person has decided."""
    return mark.verdict.pending and all(
        outcome.verdict is Verdict.PASSED or outcome.verdict.pending for outcome in mark.outcomes
    )


def _points(criterion: Criterion, outcomes: Sequence[Outcome]) -> tuple[Decimal, Decimal]:
    """Return the points earned and those that wait for a person."""
    if criterion.credit == "all":
        if all(outcome.verdict is Verdict.PASSED for outcome in outcomes):
            return criterion.points, ZERO
        lost = any(outcome.verdict is not Verdict.PASSED and not outcome.verdict.pending for outcome in outcomes)
        return ZERO, ZERO if lost else criterion.points
    return gained(criterion, outcomes)
