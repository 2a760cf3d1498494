"""Arguments that no word explains: each is tried as a mask, whatever it is called, and asked about where it is none."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from grader.learning import words
from grader.learning.definitions import NOT_PLAIN, Definition
from grader.learning.lesson import Lesson, Question
from grader.learning.unasked import never_passed

Learn: TypeAlias = Callable[[Definition], tuple[Lesson, float]]
"""Learns a definition, and says what its lesson costs: smaller is better."""
UNKNOWN = (
    "{} is given in no call: no word tells what it is, and as a mask it does not act in any known way. "
    "Say in parameters what it is, or leave it: then nothing is asked of it."
)


def learned(one: Definition, parameters: Sequence[str], learn: Learn) -> Lesson:
    """The lesson of a definition, with each that no word explains as a mask where that costs less than leaving it out.

    ``parameters`` are those of its part; what is none is a question.
    """
    (lesson, cost), names = learn(one), list(_unexplained(one, parameters))
    for name in [*names]:
        taken = (replace(each, as_mask=each.as_mask or each.name == name) for each in lesson.definition.called)
        other, costs = learn(replace(lesson.definition, called=tuple(taken)))
        if other.judged and costs < cost and name not in never_passed(other):
            lesson, cost = other, costs
            names.remove(name)
    asked = tuple(Question(UNKNOWN.format(", ".join(names))) for _ in names[:1] if lesson.judged)
    return replace(lesson, questions=(*lesson.questions, *asked))


def _unexplained(one: Definition, parameters: Sequence[str]) -> Iterator[str]:
    """The arguments that a call may leave out, and no word tells what they are; none where the part has no mask."""
    if any("mask" in name for name in parameters):
        yield from (
            taken.name
            for taken in one.called
            if taken.default in (None, NOT_PLAIN) and not taken.truth and not words.explains(taken.name)
        )
