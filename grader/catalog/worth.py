"""What each check of a criterion is worth, exactly: the shares always add up to the criterion's points."""

from collections.abc import Mapping, Sequence
from decimal import ROUND_FLOOR, Decimal
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType

from grader.model.assignment import Criterion
from grader.model.outcome import Outcome, Verdict

HUNDREDTH, TEN_THOUSANDTH = Decimal("0.01"), Decimal("0.0001")


def quantum(criterion: Criterion) -> Decimal:
    """Return the smallest step of points: a hundredth, or a ten-thousandth where the points ask for it."""
    finer = criterion.points % HUNDREDTH != 0
    crowded = criterion.points < HUNDREDTH * 10 * len(criterion.checks)
    return TEN_THOUSANDTH if finer or crowded else HUNDREDTH


@lru_cache(maxsize=512)
def worth(criterion: Criterion) -> Mapping[str, Decimal]:
    """Return the points of each check by id, by weight; thirds go by largest remainder, earlier checks first."""
    step = quantum(criterion)
    total = sum((Fraction(check.weight) for check in criterion.checks), Fraction(0))
    steps = int(criterion.points / step)
    exact = [steps * Fraction(check.weight) / total if total else Fraction(0) for check in criterion.checks]
    whole = [int(share) for share in exact]
    left = steps - sum(whole) if total else 0
    by_remainder = sorted(range(len(exact)), key=lambda index: (whole[index] - exact[index], index))
    for index in by_remainder[:left]:
        whole[index] += 1
    shares = {check.id: count * step for check, count in zip(criterion.checks, whole, strict=True)}
    return MappingProxyType(shares)


def earned(criterion: Criterion, share: Decimal, outcome: Outcome) -> Decimal:
    """Return what ``outcome`` earns of its check's ``share``; rounded down, so that a failure is never full."""
    if outcome.verdict is Verdict.PASSED:
        return share
    nothing = {Verdict.SKIPPED, Verdict.MISSING, Verdict.UNREADABLE}
    if criterion.credit != "cases" or outcome.verdict in nothing or outcome.verdict.pending or not outcome.asked:
        return Decimal(0)
    exact = Fraction(share) * Fraction(max(0, min(outcome.passed, outcome.asked)), outcome.asked)
    step = quantum(criterion)
    part = Decimal(int(exact / Fraction(step))) * step
    return min(part, max(share - step, Decimal(0))).quantize(step, ROUND_FLOOR)


def gained(criterion: Criterion, outcomes: Sequence[Outcome]) -> tuple[Decimal, Decimal]:
    """Return the points that some of a criterion's outcomes earn, each by itself, and those that wait for a person."""
    shares = worth(criterion)
    points = sum((earned(criterion, shares[outcome.check], outcome) for outcome in outcomes), Decimal(0))
    pending = sum((shares[outcome.check] for outcome in outcomes if outcome.verdict.pending), Decimal(0))
    return points, pending


def verdict_of(outcomes: Sequence[Outcome]) -> Verdict:
    """Return the criterion's verdict: ours first, then what was lost, then what waits."""
    found = {outcome.verdict for outcome in outcomes}
    if Verdict.FAULT in found:
        return Verdict.FAULT
    lost = {verdict for verdict in found if verdict is not Verdict.PASSED and not verdict.pending}
    if lost:
        absent = Verdict.MISSING in lost and lost <= {Verdict.MISSING, Verdict.SKIPPED}
        return Verdict.MISSING if absent else Verdict.FAILED
    return Verdict.UNDETERMINED if Verdict.UNDETERMINED in found else Verdict.PASSED
