"""What is worth nothing by itself: good manners of a function that computes nothing.

An empty function leaves its arguments alone, answers the same twice and has its parameters registered. Such checks earn
points only where the values give them ground: where most of what the component computes is right, or where what is
wrong has a name. Of a course's own part that is a name of its own: that the answer is the right one times a number is
said of any function.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Any

import numpy as np

from grader import mistakes
from grader.component.calls import Answered, Call, Watched, live
from grader.component.component import Component
from grader.judging.relation import ANY_FUNCTION
from grader.model.outcome import Diagnosis, Outcome, Reason, Tells, Verdict
from grader.properties import as_array
from grader.sandbox.wire import Fields

HONESTY = "integrity"
"""The component that says how the others came to their answers."""

_NOTHING_RIGHT = "nothing else that was handed in is right, so there is nothing to be honest about"
_SAID = "too little of what it computes is right, and no known slip explains why"
NOTHING = "returned None in every call: is the return line missing, or is this not written yet?"
IDLE_PART = "counts nothing: a constant passes this too, and a value that is returned does not follow the arguments"
_IDLE = "gives the same answer whatever the values of its arguments are"


def without_ground(
    outcomes: Sequence[Outcome], counted: AbstractSet[str] | None = None, own: AbstractSet[str] = frozenset()
) -> tuple[Outcome, ...]:
    """Set aside the manners of components whose values are mostly wrong and unexplained, and honesty about nothing.

    What is right is looked for among the checks that are ``counted``, those of the rubric: a check that a course leaves
    out, since its hand-out does not promise what it asks, takes nothing away. None: among all. ``own`` are components
    of the course's own.
    """
    found: dict[str, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        if counted is None or outcome.check in counted:
            found[outcome.component].append(outcome)
    empty = {component for component, mine in found.items() if _has_no_ground(mine, own=component in own)}
    unearned = _nothing_right([outcome for outcome in outcomes if outcome.component != HONESTY])
    return tuple(_set_aside(outcome, empty, unearned=unearned) for outcome in outcomes)


def _set_aside(outcome: Outcome, empty: AbstractSet[str], *, unearned: bool) -> Outcome:
    if outcome.verdict is not Verdict.PASSED:
        return outcome
    if outcome.component == HONESTY:
        return replace(outcome, verdict=Verdict.SKIPPED, passed=0, message=_NOTHING_RIGHT) if unearned else outcome
    if outcome.component in empty and outcome.manner:
        return replace(outcome, verdict=Verdict.SKIPPED, passed=0, message=_SAID)
    return outcome


def _nothing_right(others: Sequence[Outcome]) -> bool:
    """Whether others were asked, and none of their values is right or waits for a person."""
    return bool(others) and not any(
        outcome.verdict.pending or (outcome.verdict is Verdict.PASSED and not outcome.manner) for outcome in others
    )


def _has_no_ground(outcomes: Sequence[Outcome], *, own: bool) -> bool:
    values = [outcome for outcome in outcomes if not outcome.manner]
    lost = [outcome for outcome in values if outcome.verdict is not Verdict.PASSED and not outcome.verdict.pending]
    if all(outcome.diagnosis is not None and not (own and _of_any(outcome.diagnosis)) for outcome in lost):
        return False
    right = sum(outcome.verdict is Verdict.PASSED or outcome.verdict.pending for outcome in values)
    return right * 2 <= len(values)


def _of_any(diagnosis: Diagnosis) -> bool:
    """Whether what is wrong is said of any function."""
    return {*diagnosis.ids} <= {one.id for one in mistakes.of(ANY_FUNCTION)}


def idle(component: Component, answers: Sequence[Answered], place: int | None = None) -> bool:
    """Whether the answers do not depend on the values of the arguments, although the right ones do.

    ``place`` asks for one of several returned values only.
    """
    alike: dict[tuple[Any, ...], list[Answered]] = defaultdict(list)
    for answer in answers:
        if answer.status == "value" and _is_plain(answer.call):
            alike[_form(answer)].append(answer)
    told = False
    for target_form, group in alike.items():
        oracle = component.oracle(target_form[0] or component.target)
        right = [_flat(_at(place, oracle(**live(a.call.inputs)))) for a in group]
        if len(set(right)) < 2:  # noqa: PLR2004 - two answers that differ
            continue
        told = True
        if len({_flat(_at(place, answer.value)) for answer in group}) > 1:
            return False
    return told


def _at(place: int | None, value: Any) -> Any:
    """One of several values; the value itself where there are not so many."""
    several = isinstance(value, tuple | list) and place is not None and place < len(value)
    return value[place] if several and place is not None else value


def constant(component: Component, answer: Answered) -> Answered:
    """The answer of a function that looks at the sizes of its arguments only: every entry the same."""
    return _instead(answer, component, _filled)


def right(component: Component, answer: Answered) -> Answered:
    """The right answer in the place of another."""
    return replace(_instead(answer, component, lambda value: value), status="value")


def _instead(answer: Answered, component: Component, change: Callable[[Any], Any]) -> Answered:
    oracle = component.oracle(answer.call.target or answer.case.target)
    try:
        with np.errstate(all="ignore"):
            value = change(oracle(**live(answer.call.inputs)))
    except ValueError:
        return answer
    if answer.call.watch:
        return replace(answer, value=Watched(value, answer.call.inputs, "", ""))
    return replace(answer, value=value if answer.call.repeat == 1 else [value] * answer.call.repeat)


def _filled(right: Any) -> Any:
    if isinstance(right, tuple):
        return tuple(map(_filled, right))
    array = np.asarray(right)
    return np.full(array.shape, 1 / max(array.shape[-1:], default=1)).astype(array.dtype)


def _is_plain(call: Call) -> bool:
    """Whether the oracle answers the call itself: once, by a value, and not by refusing it."""
    return not (call.watch or call.gradient or call.may_raise) and call.repeat == 1


def _form(answer: Answered) -> tuple[Any, ...]:
    """Which callable, and the shapes of what it was given."""
    inputs: Mapping[str, Any] = answer.call.inputs
    forms = tuple(
        (name, value.shape if isinstance(value, np.ndarray) else type(value).__name__) for name, value in inputs.items()
    )
    return (answer.call.target or answer.case.target, forms)


def _flat(value: Any) -> bytes:
    """An answer as bytes, equal for equal answers."""
    if isinstance(value, tuple | list) and any(as_array(item) is None or np.ndim(item) for item in value):
        return b"|".join(_flat(item) for item in value)
    array = as_array(value)
    if array is None:
        return repr(value).encode()
    return str(array.shape).encode() + np.asarray(array, complex if array.dtype.kind == "c" else float).tobytes()


def unwritten(answers: Sequence[Answered]) -> bool:
    """Whether every call that asks for a value ends where the student's lines belong."""
    asked = [answer for answer in answers if not answer.call.may_raise]
    return bool(asked) and all(
        answer.status == "error" and answer.failure is not None and answer.failure.type == "NotImplementedError"
        for answer in asked
    )


def told_unwritten(outcomes: Sequence[Outcome]) -> tuple[Outcome, ...]:
    """Fail what a part that is not written passes by raising: it refuses nothing, it is not there."""
    model = next((outcome for outcome in outcomes if outcome.verdict is Verdict.ERROR), None)
    if model is None:
        return tuple(outcomes)
    return tuple(
        replace(
            outcome,
            verdict=model.verdict,
            passed=0,
            message=model.message,
            tells=model.tells,
            location=model.location,
            reason=Reason.UNWRITTEN,
        )
        if outcome.verdict is Verdict.PASSED
        else outcome
        for outcome in outcomes
    )


def returns_nothing(answers: Sequence[Answered]) -> bool:
    """Whether every call comes back, and with None: no return line, or nothing written at all."""
    return bool(answers) and all(answer.status == "value" and _is_nothing(answer.value) for answer in answers)


def _is_nothing(value: Any) -> bool:
    if isinstance(value, list):
        return bool(value) and all(_is_nothing(item) for item in value)
    return value is None or (isinstance(value, Watched) and value.value is None)


def other_kind(component: Component, answers: Sequence[Answered]) -> str:
    """What every call gives where the oracle gives an array or a tuple; empty for anything else.

    It is a dict, an object of a data class or a text.
    """
    plain = [answer for answer in answers if answer.status == "value" and _is_plain(answer.call)]
    kinds = {type(answer.value) for answer in plain}
    if len(kinds) != 1 or not kinds <= {dict, Fields, str}:
        return ""
    first = plain[0]
    wanted = component.oracle(first.call.target or component.target)(**live(first.call.inputs))
    if isinstance(wanted, dict | str):
        return ""
    names = f" ({', '.join(first.value)})" if isinstance(first.value, dict) and first.value else ""
    return (first.value.of if isinstance(first.value, Fields) else f"a {kinds.pop().__name__}") + names


def told_of_all(outcomes: Sequence[Outcome], message: str, tells: Tells = Tells.FOUND) -> tuple[Outcome, ...]:
    """Fail every check for the one reason there is."""
    return tuple(
        replace(outcome, verdict=Verdict.FAILED, passed=0, message=message, reason=Reason.EVERY_CALL, tells=tells)
        for outcome in outcomes
    )


def told_idle(outcomes: Sequence[Outcome]) -> tuple[Outcome, ...]:
    """Fail what an answer that depends on nothing passes by chance, and say so wherever it is numbers."""
    return tuple(told_of_all((one,), _IDLE, Tells.DID)[0] if _of_numbers(one) else one for one in outcomes)


def _of_numbers(outcome: Outcome) -> bool:
    example = outcome.counterexample
    return outcome.verdict is Verdict.PASSED or (example is not None and example.max_error is not None)
