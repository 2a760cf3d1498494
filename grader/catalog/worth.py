"""What each check of a criterion is worth, exactly: the shares always add up to the criterion's points."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import ROUND_FLOOR, Decimal
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType

from grader.model import Criterion, Outcome, Verdict

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
