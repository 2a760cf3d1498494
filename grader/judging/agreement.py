"""Whether a wrong oracle gives what the student's code gave: prediction, comparison, and many of them at once."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from grader.component.calls import Answered, Differentiated, Inputs, Refused, Watched, live
from grader.component.checks import Misconception
from grader.component.component import Component
from grader.judging.prediction import (
    UNLIKE,
    Forecasts,
    beyond,
    clearly_apart,
    flat,
    forecasts,
    inputs_key,
    remembered,
    without,
)
from grader.model.outcome import Raised
from grader.properties import NOT_ASKED, near
from grader.sandbox.plain import Failure


@dataclass(frozen=True, slots=True)
class Asked:
    """An answer that is to be reproduced, and what is known of its inputs where every submission is asked them.

    ``got`` is the answer as :class:`~grader.judging.prediction.Rows` compare it, ``far`` what no tolerance reaches;
    ``quick`` says whether they can. ``parts`` says which of several values are asked for; empty where all are.
    """

    answer: Answered
    target: str
    known: Hashable | None
    forecasts: Forecasts
    got: Any
    far: float
    quick: bool
    parts: tuple[bool, ...] = ()

    def told(self, predicted: Any) -> Any:
        """What was asked for of a prediction, as the rows hold it."""
        if isinstance(predicted, Raised):
            return predicted.family
        if not self.parts:
            return predicted
        if not isinstance(predicted, tuple) or len(predicted) != len(self.parts):
            return UNLIKE
        return tuple(part for part, asked in zip(predicted, self.parts, strict=True) if asked)


def asked_of(component: Component, answer: Answered) -> Asked:
    """Prepare an answer for being compared with many predictions."""
    target, known = target_of(component, answer), _key(answer)
    value, raised = _value(answer), _raised(answer)
    got = raised if raised is not None else None if value is None else without(value) or flat(value)
    parts = tuple(part is not NOT_ASKED for part in value) if isinstance(value, tuple) else ()
    parts = () if all(parts) else parts
    quick = known is not None and component.compares_all and not answer.call.may_raise
    quick = quick and (got is not None or (value is None and answer.status == "value"))
    oracle, listed = component.oracle(target), component.misconceptions
    kept = Forecasts() if known is None else forecasts((known, parts), listed, oracle)
    return Asked(answer, target, known, kept, got, beyond(value), quick, parts)


def plausible(component: Component, candidates: list[Misconception], asked: Sequence[Asked]) -> list[Misconception]:
    """Leave out the listed candidates that are far from one of the answers."""
    numbers = numbers_of(component)
    left = np.array([number for number, m in enumerate(component.misconceptions) if m.variant is not None], dtype=int)
    for one in asked:
        if one.quick:
            left = left[one.forecasts.singles.near(left, partial(_single, component, one), one.got, one.far)]
    kept = set(left.tolist())
    return [m for m in candidates if id(m) not in numbers or numbers[id(m)] in kept]


def numbers_of(component: Component) -> Mapping[int, int]:
    """The places of the listed misconceptions by their identity: what is fitted to an answer has none."""
    return {id(m): number for number, m in enumerate(component.misconceptions)}


def _single(component: Component, one: Asked, number: int) -> Any:
    function = function_of(component, component.misconceptions[number], one.target)
    return one.told(remembered(lambda: predict(function, one.answer.call.inputs), one.known, function)[0])


def target_of(component: Component, answer: Answered) -> str:
    """Return the canonical name of the callable that gave an answer."""
    return answer.call.target or answer.case.target or component.target


def _value(answer: Answered) -> Any:
    return answer.value.value if isinstance(answer.value, Watched | Differentiated) else answer.value


def function_of(component: Component, candidate: Misconception, target: str) -> Callable[..., Any]:
    """Return what stands for ``target`` where the candidate is made: the oracle where it does not touch that."""
    return candidate.by_target(component.target).get(target) or component.oracle(target)


def attempted(compute: Callable[[], Any]) -> Any:
    """What ``compute`` gives, or Raised: a mistake may raise whatever the mistaken code raises."""
    try:
        with np.errstate(all="ignore"):
            return compute()
    except Exception as error:  # noqa: BLE001 - as said
        return Raised(type(error).__name__, str(error))


def raised_by(status: str, failure: Failure | None) -> str | None:
    """The kind of the exception that ended a call; None where none did."""
    return Raised(failure.type, failure.message).family if status == "error" and failure is not None else None


def predict(function: Callable[..., Any], inputs: Inputs) -> tuple[Any, Inputs]:
    """What ``function`` returns (or Raised), and its arguments as they are afterwards."""
    given = live(inputs)
    return attempted(lambda: function(**given)), given


def _key(answer: Answered) -> Hashable | None:
    """The inputs of a visible case, which every submission is asked; None for a hidden one."""
    return None if answer.case.hidden else inputs_key(answer.call.inputs)


def agrees(
    component: Component,
    answer: Answered,
    function: Callable[..., Any],
    known: Hashable | None = None,
    *,
    once: bool = False,
) -> bool:
    """Whether ``function`` gives the answer: value, or kind of exception, and arguments left alike.

    ``once`` says that nobody will ask about this function again: what it gives is not remembered.
    """
    with np.errstate(all="ignore"):  # once for all that is compared here
        inputs = answer.call.inputs
        key = None if once else known or _key(answer)
        return _agrees(component, answer, remembered(lambda: predict(function, inputs), key, function))


def _agrees(component: Component, answer: Answered, prediction: tuple[Any, Inputs]) -> bool:
    predicted, after = prediction
    raised = _raised(answer)
    if isinstance(predicted, Raised) or raised is not None:
        both = isinstance(predicted, Raised) and raised is not None
        return both and (answer.call.may_raise or raised == predicted.family)
    if answer.status != "value":
        return False
    return bool(same(component, _value(answer), predicted, answer.call.inputs)) and _leaves(answer, after)


def _raised(answer: Answered) -> str | None:
    """The kind of the exception that came instead of an answer."""
    if isinstance(answer.value, Refused):
        return Raised(answer.value.type, answer.value.message).family
    return raised_by(answer.status, answer.failure)


def _leaves(answer: Answered, after: Inputs) -> bool:
    """Whether the arguments are left as ``after`` says: a slip in place is part of what is reproduced."""
    if not isinstance(answer.value, Watched):
        return True
    seen = answer.value.after
    arrays = [name for name in seen if isinstance(after.get(name), np.ndarray)]
    return all(bool(near(*_finite(seen[name], after[name]))) for name in arrays)


def same(component: Component, got: Any, predicted: Any, inputs: Inputs) -> bool:
    """Equal up to tolerance, where a value that is not finite equals the same value that is not finite."""
    if component.compares_all and clearly_apart(got, predicted):
        return False
    if isinstance(predicted, tuple):
        return (
            isinstance(got, tuple | list)
            and len(got) == len(predicted)
            and bool(component.compare(*_finite(tuple(got), predicted), **inputs))
        )
    return bool(component.compare(*_finite(got, predicted), **inputs))


def _finite(got: Any, predicted: Any) -> tuple[Any, Any]:
    """Replace NaN and infinities that both sides share by marks, so that they compare equal."""
    if isinstance(predicted, tuple):
        pairs = [_finite(mine, theirs) for mine, theirs in zip(got, predicted, strict=True)]
        return tuple(mine for mine, _ in pairs), tuple(theirs for _, theirs in pairs)
    mine = getattr(got, "array", got)
    if isinstance(predicted, float) and isinstance(mine, float | np.ndarray):
        mine, predicted = np.asarray(mine), np.asarray(predicted)
    if not isinstance(mine, np.ndarray) or not isinstance(predicted, np.ndarray) or mine.shape != predicted.shape:
        return got, predicted
    if mine.dtype.kind != "f" or predicted.dtype.kind != "f":
        return got, predicted
    if np.isfinite(np.add.reduce(predicted, axis=None)):  # then every entry is
        return got, predicted
    shared = (np.isnan(mine) & np.isnan(predicted)) | (~np.isfinite(mine) & (mine == predicted))
    return np.where(shared, 0.0, mine), np.where(shared, 0.0, predicted)


def apart(
    component: Component,
    one: Callable[..., Any],
    other: Callable[..., Any],
    inputs: Inputs,
    known: Hashable | None = None,
) -> bool:
    """Whether two functions give different answers, or leave their arguments differently."""
    predicted = (remembered(partial(predict, each, inputs), known, each) for each in (one, other))
    (mine, after), (theirs, left) = predicted
    if isinstance(mine, Raised) or isinstance(theirs, Raised):
        return not (isinstance(mine, Raised) and isinstance(theirs, Raised) and mine.family == theirs.family)
    arrays = [name for name, value in left.items() if isinstance(value, np.ndarray)]
    moved = any(not np.array_equal(after[name], left[name]) for name in arrays)
    with np.errstate(all="ignore"):
        return moved or not same(component, mine, theirs, inputs)
