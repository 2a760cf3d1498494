"""What can be said of answers that no listed mistake explains: how they stand to the right ones.

Each relation is a simple change of the right value, or of what goes into it: everywhere twice as large, with rows and
columns exchanged, the right answer for other arguments. It is named only where it gives every answer of the code, right
and wrong ones alike, so that what is said is true of all that was asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations, permutations
from typing import Any

import numpy as np

from grader import mistakes
from grader.component import Answered, Component, Evidence, Inputs, Misconception
from grader.judging.agreement import Asked, Raised, agrees, predict, same, target_of
from grader.properties import TRUTH, Array, as_array, near

Function = Callable[..., Any]
ANY_FUNCTION = "any_function"
"""The file of the catalogue that has the relations: they belong to no component."""
KEPT = frozenset({"answer-of-the-first-call", "answer-of-an-earlier-call"})
"""What shows only after another call."""
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
    return _by_kept(component, asked) or _imprecise(component, asked) or _no_number(component, wrong)


def _by_kept(component: Component, asked: Sequence[Asked]) -> Misconception | None:
    if _first_kept(component, asked):
        return named("answer-of-the-first-call")
    return named("answer-of-an-earlier-call") if _kept(component, asked) else None


def _no_number(component: Component, wrong: Sequence[Asked]) -> Misconception | None:
    """What holds NaN or infinity where the right answer has numbers, in most of the wrong answers."""

    def lacks(one: Asked) -> bool:
        right = _right(component.oracle(one.target), one.answer.call.inputs)
        return _lacking(_arrays(_value_of(one.answer))) and bool(right) and not _lacking(right)

    return named("answer-not-a-number") if 2 * sum(map(lacks, wrong)) > len(wrong) else None


def _lacking(arrays: Iterable[Array]) -> bool:
    return any(array.dtype.kind == "f" and not np.isfinite(array).all() for array in arrays)


def named(id: str) -> Misconception:
    """Return the relation of that id with its own title."""
    return _misconception(id)


def _by_sign(component: Component, evidence: Evidence) -> Misconception | None:
    if evidence.failed and all(name.startswith("leaves_") for name in evidence.failed):
        return named("argument-changed-in-place")
    if component.returns_mask and evidence.answers and all(_is_truth(answer) for answer in evidence.answers):
        return named("answer-of-true-and-false")
    if not component.random and any(_unsteady(answer) for answer in evidence.answers):
        return named("answer-never-the-same")
    return None


def _is_truth(answer: Answered) -> bool:
    values = answer.value if answer.call.repeat > 1 and isinstance(answer.value, list) else [_value_of(answer)]
    return all(isinstance(value, np.ndarray) and value.dtype == TRUTH for value in values)


def _unsteady(answer: Answered) -> bool:
    """Whether one call, made twice in a row, gave two answers."""
    if answer.call.repeat < 2 or answer.status != "value" or not isinstance(answer.value, Sequence):  # noqa: PLR2004 - twice
        return False
    first, second = (_arrays(value) for value in answer.value[:2])
    if len(first) != len(second):
        return True
    return any(
        one.shape != other.shape or not np.allclose(one, other, rtol=1e-4, atol=1e-6, equal_nan=True)
        for one, other in zip(first, second, strict=True)
    )


def _arrays(value: Any) -> list[Array]:
    parts = value if isinstance(value, tuple | list) and not _plain_list(value) else (value,)
    arrays = [as_array(part) for part in parts]
    return [array for array in arrays if array is not None and array.dtype.kind in "fiub"]


def _plain_list(value: Sequence[Any]) -> bool:
    return all(isinstance(entry, int | float) for entry in value)


# ------------------------------------------------------------------------------------------- what may be the case


def _candidates(
    component: Component, evidence: Evidence, wrong: Sequence[Asked]
) -> Iterable[tuple[Misconception, Function, Callable[[Any], Any] | None]]:
    """Yield what may be the case: its function, and what it makes of a right value, where it is made of that alone."""
    oracle = component.oracle()
    names = component.returns if len(component.returns) > 1 else ()
    for which, words, change in (*_CHANGES, *_fitted(oracle, wrong)):
        yield _misconception(which, words), *_changed(oracle, change, None)
        for place, name in enumerate(names):
            yield _misconception(which, words, of=f" ({name})"), *_changed(oracle, change, place)
    inputs = [answer.call.inputs for answer in evidence.answers]
    for found, function in _other_arguments(oracle, inputs):
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
            return same(component, _value_of(answer), change(right), answer.call.inputs)
    except (ValueError, TypeError, ArithmeticError, LookupError):
        return True


def _axes_exchanged(right: Array) -> Array:
    return right.swapaxes(-1, -2) if right.ndim > 1 else right


_CHANGES: tuple[tuple[str, str, Callable[[Array], Any]], ...] = (
    ("answer-transposed", "", _axes_exchanged),
    ("answer-transposed", "all axes are in reverse order", lambda right: right.T),
    ("answer-reversed", "along the last axis", lambda right: right[..., ::-1]),
    ("answer-reversed", "along the last axis but one", lambda right: right[..., ::-1, :]),
    *(
        ("answer-shifted-by-one-place", f"along the last axis{words}", lambda right, a=axis, b=by: np.roll(right, b, a))
        for axis, words in ((-1, ""), (-2, " but one"))
        for by in (1, -1)
    ),
    *(
        ("answer-incomplete", f"along the last axis {words} is missing", cut)
        for words, cut in (
            ("the last entry", lambda right: right[..., :-1]),
            ("the first entry", lambda right: right[..., 1:]),
        )
    ),
    *(
        ("answer-incomplete", f"{words} row is missing", cut)
        for words, cut in (
            ("the last", lambda right: right[..., :-1, :]),
            ("the first", lambda right: right[..., 1:, :]),
        )
    ),
    ("answer-cut-to-whole-numbers", "", np.trunc),
    ("answer-cut-to-whole-numbers", "rounded down", np.floor),
    ("answer-cut-to-whole-numbers", "rounded", np.round),
    ("answer-of-another-function", "its absolute value", np.abs),
    ("answer-of-another-function", "its square", np.square),
    ("answer-of-another-function", "its square root", np.sqrt),
    ("answer-of-another-function", "its exponential", np.exp),
    ("answer-of-another-function", "its logarithm", np.log),
    ("answer-of-another-function", "1 minus it", lambda right: 1 - right),
    ("answer-of-another-function", "1 divided by it", lambda right: 1 / right),
    ("answer-of-another-function", "it where it is above 0, and 0 elsewhere", lambda right: np.maximum(right, 0)),
)


def _fitted(oracle: Function, wrong: Sequence[Asked]) -> Iterable[tuple[str, str, Callable[[Array], Any]]]:
    """A factor and a summand, read from the first wrong answer that has numbers of its own."""
    for one in wrong[:3]:
        got = _arrays(_value_of(one.answer))
        right = _right(oracle, one.answer.call.inputs) if got else []
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
            if factor is not None:
                factor = int(factor) if counted and factor.is_integer() else factor
                yield "answer-negated" if factor == -1 else "answer-scaled", f"{factor:.6g}", _times(factor)
            yield "answer-raised", f"{more:.6g}", _plus(int(more) if counted and more.is_integer() else more)


def _times(factor: float) -> Callable[[Array], Any]:
    return lambda right: right * factor


def _plus(more: float) -> Callable[[Array], Any]:
    return lambda right: right + more


def _first_kept(component: Component, asked: Sequence[Asked]) -> bool:
    """Whether the first call is answered rightly, and every other one as the first."""
    first = asked[0].answer
    if first.status != "value" or not agrees(component, first, component.oracle()):
        return False
    return all(one.answer.status == "value" and _identical(one.answer, first) for one in asked)


def _identical(answer: Answered, other: Answered) -> bool:
    mine, theirs = _arrays(_value_of(answer)), _arrays(_value_of(other))
    return bool(mine) and len(mine) == len(theirs) and all(map(np.array_equal, mine, theirs))


def kept_from(component: Component, answers: Sequence[Answered]) -> tuple[Answered, Answered] | None:
    """The first wrong answer that an earlier call had, behind that call; None where there is none."""
    for at, answer in enumerate(answers):
        if answer.status != "value" or agrees(component, answer, component.oracle(target_of(component, answer))):
            continue
        found = (one for one in answers[:at] if _identical(answer, one) or _repeats(answer, one, component))
        if (source := next(found, None)) is not None:
            return source, answer
    return None


def _kept(component: Component, asked: Sequence[Asked]) -> bool:
    """Whether each answer is right, or is in some part that of an earlier call with other arguments."""
    earlier: list[Answered] = []
    sources: set[int] = set()
    for answer in (one.answer for one in asked):
        if answer.status != "value":
            return False
        if not agrees(component, answer, component.oracle()):
            source = next((at for at, before in enumerate(earlier) if _repeats(answer, before, component)), None)
            if source is None:
                return False
            sources.add(source)
        earlier.append(answer)
    return len(sources) > 1  # one answer for everything is no memory


def _repeats(answer: Answered, earlier: Answered, component: Component) -> bool:
    """Whether some part of an answer is that of an earlier one, and should not be."""
    mine, before = _arrays(_value_of(answer)), _arrays(_value_of(earlier))
    right = _right(component.oracle(), answer.call.inputs)
    if not len(mine) == len(before) == len(right):
        return False
    return any(
        a.shape == b.shape == c.shape and bool(near(a, b)) and not near(a, c)
        for a, b, c in zip(mine, before, right, strict=True)
    )


def _imprecise(component: Component, asked: Sequence[Asked]) -> Misconception | None:
    """Whether every number is within a few percent of the right one."""
    worst = 0.0
    for one in asked:
        if one.answer.status != "value":
            return None
        right = _right(component.oracle(), one.answer.call.inputs)
        got = _arrays(_value_of(one.answer))
        pairs = list(zip(got, right, strict=False))
        if not right or len(got) != len(right) or any(a.shape != b.shape or b.dtype.kind != "f" for a, b in pairs):
            return None
        for mine, theirs in pairs:
            error = float(np.abs(mine - theirs).max(initial=0.0)) / max(float(np.abs(theirs).max(initial=0.0)), 1e-30)
            if not error <= _CLOSE:
                return None
            worst = max(worst, error)
    return _misconception("answer-imprecise", f"the largest error is {worst:.2g} of the largest number")


_CLOSE = 0.05


def _right(oracle: Function, inputs: Inputs) -> list[Array]:
    """The right answer's arrays; none where the right answer is an exception."""
    value, _ = predict(oracle, inputs)
    return [] if isinstance(value, Raised) else _arrays(value)


def _value_of(answer: Answered) -> Any:
    return getattr(answer.value, "value", answer.value)


def _factor(mine: Any, theirs: Any) -> float | None:
    """The quotient, as the round number that it is near; None where there is none."""
    if not theirs or not np.isfinite(mine):
        return None
    quotient = float(mine / theirs)
    short = float(f"{quotient:.4g}")
    return short if abs(short - quotient) < 1e-7 * abs(quotient) else quotient or None


def _other_arguments(oracle: Function, asked: Sequence[Inputs]) -> Iterable[tuple[Misconception, Function]]:
    """The right answer for arguments that have changed places, that stay what they were, or that are another number."""
    names = list(dict.fromkeys(name for inputs in asked for name in inputs))
    kinds = {name: {_kind(inputs[name]) for inputs in asked if name in inputs} for name in names}
    alike = [
        (one, other)
        for one, other in combinations(names, 2)
        if kinds[one] == kinds[other] and len(kinds[one]) == 1 and kinds[one] <= {"array", "number"}
    ]
    for one, other in alike:
        yield _misconception("arguments-exchanged", f"{one} and {other}"), _with(oracle, {one: other, other: one})
        for taken, left in ((one, other), (other, one)):
            words = f"{left} is used in the place of {taken}"
            yield _misconception("argument-used-twice", words), _with(oracle, {taken: left})
    groups = list(combinations([n for n in names if kinds[n] == {"array"}], 3))
    for group in groups if len(groups) <= _MOST_GROUPS else ():
        for turned in permutations(group):
            if all(one != other for one, other in zip(group, turned, strict=True)):
                words = ", ".join(f"{other} as {one}" for one, other in zip(group, turned, strict=True))
                yield _misconception("arguments-exchanged", words), _with(oracle, dict(zip(group, turned, strict=True)))
    for name in names:
        for words, change in _ARGUMENTS.get(next(iter(kinds[name])), ()) if len(kinds[name]) == 1 else ():
            yield _misconception("argument-changed-first", f"{name} {words}"), _after(oracle, name, change)


_MOST_GROUPS = 40


def _kind(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return "array" if value.ndim else "number"
    if isinstance(value, list) and value and all(isinstance(entry, int | float) for entry in value):
        return "array"
    return "number" if isinstance(value, int | float) and not isinstance(value, bool) else "other"


_ARGUMENTS: Mapping[str, tuple[tuple[str, Callable[[Any], Any]], ...]] = {
    "number": (
        ("is taken one too large", lambda value: value + 1),
        ("is taken one too small", lambda value: value - 1),
        ("is taken one too small, and at least 1", lambda value: max(value - 1, 1)),
        ("is doubled", lambda value: 2 * value),
        ("is halved", lambda value: value / 2),
        ("is halved and rounded down", lambda value: value // 2),
        ("is squared", lambda value: value * value),
    ),
    "array": (
        ("is transposed", _axes_exchanged),
        ("is reversed along its last axis", lambda value: value[..., ::-1]),
        ("is reversed along its first axis", lambda value: value[::-1]),
        ("is sorted", np.sort),
        ("is sorted, largest first", lambda value: -np.sort(-value)),
        ("has the wrong sign", np.negative),
        ("is replaced by its first row", lambda value: np.broadcast_to(value[:1], value.shape)),
        ("is cut to whole numbers", np.trunc),
        ("is taken without its sign", np.abs),
        ("is doubled", lambda value: 2 * value),
        ("is one too large", lambda value: value + 1),
        ("is one too small", lambda value: value - 1),
    ),
}


def _with(oracle: Function, taken: Mapping[str, str]) -> Function:
    """The oracle with arguments under other names."""

    def function(**inputs: Any) -> Any:
        return oracle(**{name: inputs[taken.get(name, name)] for name in inputs})

    return function


def _after(oracle: Function, name: str, change: Callable[[Any], Any]) -> Function:
    """The oracle with one argument changed first."""

    def function(**inputs: Any) -> Any:
        if name not in inputs:
            return oracle(**inputs)
        given = inputs[name]
        return oracle(**{**inputs, name: change(np.asarray(given) if isinstance(given, list) else given)})

    return function


def _misconception(id: str, words: str = "", *, of: str = "") -> Misconception:
    """The relation of that id; ``of`` what it is seen in, ``words`` say it more closely."""
    known = next(one for one in mistakes.of(ANY_FUNCTION) if one.id == id)
    title = f"{known.title.rstrip('.')}{of}{': ' * bool(words)}{words}."
    return Misconception(id, title, known.hints, "", "")
