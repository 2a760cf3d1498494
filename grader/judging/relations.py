"""What can be said of answers that no listed mistake explains: how they stand to the right ones.

Each relation is a simple change of the right value, or of what goes into it: everywhere twice as large, with rows and
columns exchanged, the right answer for other arguments. It is named only where it gives every answer of the code, right
and wrong ones alike, so that what is said is true of all that was asked.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from grader.component.calls import Answered
from grader.component.checks import Evidence, Misconception
from grader.component.component import Component
from grader.judging.agreement import Asked, agrees, predict, same
from grader.judging.earlier_calls import by_kept
from grader.judging.other_arguments import other_arguments
from grader.judging.relation import Function, arrays_of, named, right_arrays, value_of
from grader.model.outcome import Raised
from grader.properties import TRUTH, Array

WHOLE = "answer-in-whole-numbers"
"""What explains wrong values alone, whatever else raises."""


def explain(component: Component, evidence: Evidence, asked: Sequence[Asked]) -> Misconception | None:
    """Return the first relation that gives every answer, or a sign that holds whatever was computed; else None."""
    sign = _by_sign(component, evidence)
    if sign is not None or component.random or not asked:
        return sign
    wrong = [one for one in asked if not agrees(component, one.answer, component.oracle(one.target), one.known)]
    if not wrong or any(one.target != component.target for one in asked):
        return None
    if all(one.answer.status != "value" for one in wrong):
        return None  # exceptions are alike for many reasons
    if all("integer" in one.answer.case.tags for one in wrong if one.answer.status == "value"):
        return named(WHOLE)
    order = sorted(asked, key=lambda one: all(one is not other for other in wrong))
    first = predict(component.oracle(), order[0].answer.call.inputs)[0]
    for found, function, change in _candidates(component, evidence, wrong):
        # Most changes are not what the first answer shows, and the right value for it need not be computed again.
        if change is not None and not _shows(component, order[0].answer, change, first):
            continue
        if all(agrees(component, one.answer, function, once=True) for one in order):
            return found
    return by_kept(component, asked) or _imprecise(component, asked) or _no_number(component, wrong)


def _no_number(component: Component, wrong: Sequence[Asked]) -> Misconception | None:
    """What holds NaN or infinity where the right answer has numbers, in most of the wrong answers."""

    def lacks(one: Asked) -> bool:
        right = right_arrays(component.oracle(one.target), one.answer.call.inputs)
        return _lacking(arrays_of(value_of(one.answer))) and bool(right) and not _lacking(right)

    return named("answer-not-a-number") if 2 * sum(map(lacks, wrong)) > len(wrong) else None


def _lacking(arrays: Iterable[Array]) -> bool:
    return any(array.dtype.kind == "f" and not np.isfinite(array).all() for array in arrays)


def _by_sign(component: Component, evidence: Evidence) -> Misconception | None:
    if evidence.failed and all(name.startswith("leaves_") for name in evidence.failed):
        return named("argument-changed-in-place")
    if component.returns_mask and evidence.answers and all(_is_truth(answer) for answer in evidence.answers):
        return named("answer-of-true-and-false")
    if not component.random and any(_unsteady(answer) for answer in evidence.answers):
        return named("answer-never-the-same")
    return None


def _is_truth(answer: Answered) -> bool:
    values = answer.value if answer.call.repeat > 1 and isinstance(answer.value, list) else [value_of(answer)]
    return all(isinstance(value, np.ndarray) and value.dtype == TRUTH for value in values)


def _unsteady(answer: Answered) -> bool:
    """Whether one call, made twice in a row, gave two answers."""
    if answer.call.repeat < 2 or answer.status != "value" or not isinstance(answer.value, Sequence):  # noqa: PLR2004 - twice
        return False
    first, second = (arrays_of(value) for value in answer.value[:2])
    if len(first) != len(second):
        return True
    return any(
        one.shape != other.shape or not np.allclose(one, other, rtol=1e-4, atol=1e-6, equal_nan=True)
        for one, other in zip(first, second, strict=True)
    )


def _candidates(
    component: Component, evidence: Evidence, wrong: Sequence[Asked]
) -> Iterable[tuple[Misconception, Function, Callable[[Any], Any] | None]]:
    """Yield what may be the case: its function, and what it makes of a right value, where it is made of that alone."""
    oracle = component.oracle()
    names = component.returns if len(component.returns) > 1 else ()
    for which, words, change in (*_CHANGES, *_fitted(oracle, wrong)):
        yield named(which, words), *_changed(oracle, change, None)
        for place, name in enumerate(names):
            yield named(which, words, of=f" ({name})"), *_changed(oracle, change, place)
    inputs = [answer.call.inputs for answer in evidence.answers]
    for found, function in other_arguments(oracle, inputs):
        yield found, function, None


def _changed(
    oracle: Function, change: Callable[[Array], Any], place: int | None
) -> tuple[Function, Callable[[Any], Any]]:
    def of_right(right: Any) -> Any:
        if not isinstance(right, tuple):
            return change(np.asarray(right))
        return tuple(change(part) if place in {None, at} else part for at, part in enumerate(right))

    return (lambda **inputs: of_right(oracle(**inputs))), of_right


def _shows(component: Component, answer: Answered, change: Callable[[Any], Any], right: Any) -> bool:
    """Whether an answer can be the right value changed; True where only a closer look tells."""
    if isinstance(right, Raised) or answer.status != "value":
        return True
    try:
        with np.errstate(all="ignore"):
            return same(component, value_of(answer), change(right), answer.call.inputs)
    except (ValueError, TypeError, ArithmeticError, LookupError):
        return True


_CHANGES: tuple[tuple[str, str, Callable[[Array], Any]], ...] = (
    ("answer-reversed", "along the last axis", lambda right: right[..., ::-1]),
    ("answer-reversed", "along the last axis but one", lambda right: right[..., ::-1, :]),
    ("answer-incomplete", "along the last axis the last entry is missing", lambda right: right[..., :-1]),
    ("answer-incomplete", "along the last axis the first entry is missing", lambda right: right[..., 1:]),
    ("answer-incomplete", "the last row is missing", lambda right: right[..., :-1, :]),
    ("answer-incomplete", "the first row is missing", lambda right: right[..., 1:, :]),
)


def _fitted(oracle: Function, wrong: Sequence[Asked]) -> Iterable[tuple[str, str, Callable[[Array], Any]]]:
    """A factor and a summand, read from the first wrong answer that has numbers of its own.

    Of a single number any answer is a multiple: there it says nothing, but for the sign.
    """
    numbers = _numbers(oracle, wrong)
    for one in wrong[:3]:
        got = arrays_of(value_of(one.answer))
        right = right_arrays(oracle, one.answer.call.inputs) if got else []
        for mine, theirs in zip(got, right, strict=False):
            counted = theirs.dtype.kind in "iu" and not theirs.ndim  # ids in an array are no quantity
            if mine.shape != theirs.shape or not mine.size or mine.dtype.kind == "b":
                continue
            if theirs.dtype.kind != "f" and not counted:
                continue
            at = int(np.argmax(np.abs(theirs)))
            if not np.isfinite([mine.flat[at], theirs.flat[at]]).all():
                continue
            factor, more = _factor(mine.flat[at], theirs.flat[at]), float(mine.flat[at] - theirs.flat[at])
            if factor is not None and (factor == -1 or len(numbers - {0.0}) > 1):
                factor = int(factor) if counted and factor.is_integer() else factor
                yield "answer-negated" if factor == -1 else "answer-scaled", f"{factor:.6g}", _times(factor)
            if len(numbers) > 1:
                yield "answer-raised", f"{more:.6g}", _plus(int(more) if counted and more.is_integer() else more)


def _numbers(oracle: Function, wrong: Sequence[Asked]) -> set[float]:
    """The numbers of the right answers in the place of wrong ones."""
    arrays = [array for one in wrong for array in right_arrays(oracle, one.answer.call.inputs)]
    return {float(f"{number:.9g}") for array in arrays if array.dtype.kind in "fiu" for number in array.flat[:_MOST]}


def _times(factor: float) -> Callable[[Array], Any]:
    return lambda right: right * factor


def _plus(more: float) -> Callable[[Array], Any]:
    return lambda right: right + more


def _imprecise(component: Component, asked: Sequence[Asked]) -> Misconception | None:
    """Whether every number is within a few percent of the right one."""
    worst = 0.0
    for one in asked:
        if one.answer.status != "value":
            return None
        right = right_arrays(component.oracle(), one.answer.call.inputs)
        got = arrays_of(value_of(one.answer))
        pairs = list(zip(got, right, strict=False))
        if not right or len(got) != len(right) or any(a.shape != b.shape or b.dtype.kind != "f" for a, b in pairs):
            return None
        for mine, theirs in pairs:
            error = float(np.abs(mine - theirs).max(initial=0.0)) / max(float(np.abs(theirs).max(initial=0.0)), 1e-30)
            if not error <= _CLOSE:
                return None
            worst = max(worst, error)
    return named("answer-imprecise", f"the largest error is {worst:.2g} of the largest number")


_CLOSE = 0.05
_MOST = 64
"""How many numbers of an answer are looked at to see whether they differ."""


def _factor(mine: Any, theirs: Any) -> float | None:
    """The quotient, as the round number that it is near; None where there is none."""
    if not theirs or not np.isfinite(mine):
        return None
    quotient = float(mine / theirs)
    short = float(f"{quotient:.4g}")
    return short if abs(short - quotient) < 1e-7 * abs(quotient) else quotient or None
