"""Answers that are those of an earlier call: what a function keeps from one call to the next."""

from collections.abc import Sequence

import numpy as np

from grader.component.calls import Answered
from grader.component.checks import Misconception
from grader.component.component import Component
from grader.judging.agreement import Asked, agrees, target_of
from grader.judging.relation import arrays_of, named, right_arrays, value_of
from grader.properties import near

FIRST, EARLIER = "answer-of-the-first-call", "answer-of-an-earlier-call"
KEPT = frozenset({FIRST, EARLIER})
"""What shows only after another call."""


def by_kept(component: Component, asked: Sequence[Asked]) -> Misconception | None:
    """Return what is kept of the first call, or of earlier ones; None where nothing is."""
    if _first_kept(component, asked):
        return named(FIRST)
    return named(EARLIER) if _kept(component, asked) else None


def _first_kept(component: Component, asked: Sequence[Asked]) -> bool:
    """Whether the first call is answered rightly, and every other one as the first."""
    first = asked[0].answer
    if first.status != "value" or not agrees(component, first, component.oracle()):
        return False
    return all(one.answer.status == "value" and _identical(one.answer, first) for one in asked)


def _identical(answer: Answered, other: Answered) -> bool:
    mine, theirs = arrays_of(value_of(answer)), arrays_of(value_of(other))
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
    mine, before = arrays_of(value_of(answer)), arrays_of(value_of(earlier))
    right = right_arrays(component.oracle(), answer.call.inputs)
    if not len(mine) == len(before) == len(right):
        return False
    return any(
        a.shape == b.shape == c.shape and bool(near(a, b)) and not near(a, c)
        for a, b, c in zip(mine, before, right, strict=True)
    )
