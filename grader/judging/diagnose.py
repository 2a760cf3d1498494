"""Name the mistake: the one misconception that reproduces what the student's code does.

A misconception explains a submission when it reproduces every answer that was given, right and wrong ones alike,
and differs from the paper on at least one wrong one. When several do, an input that tells them apart is looked
for and asked; when none exists, the source decides, or they are reported as a family. "Unexplained" is an honest
answer. How an answer is reproduced is for the student's thing to say: by a call, or under weights that are found.
"""

from collections.abc import Generator, Iterable, Iterator
from typing import Any, Protocol

from grader.component.checks import Misconception
from grader.model.outcome import By

Asking = Generator[Any, Any, list[Misconception]]
MOST_TWINS = 3


class Explained(Protocol):
    """How a student's thing answers mistakes."""

    @property
    def source(self) -> Any:
        """What the tie-breaks of its mistakes look at: the evidence of a function, the text of a module."""

    def stages(self) -> Iterator[list[Misconception]]:
        """Yield what reproduces all answers, one mistake before two together; where all is right, nothing."""

    def told_apart(self, matches: list[Misconception]) -> Asking:
        """Return those of ``matches`` that still agree where inputs on which they differ are asked."""
        yield from ()
        return matches

    def signs(self) -> list[Misconception]:
        """Return what is seen otherwise, where no answer tells."""
        return []


def explain(thing: Explained) -> Generator[Any, Any, tuple[list[Misconception], By]]:
    """Return the mistake that is singled out, with its twins behind it, and by what; may ask the code once more."""
    matches = next(filter(None, thing.stages()), [])
    if len(matches) > 1:
        matches = yield from thing.told_apart(matches)
    if matches:
        return singled_out(matches, thing.source), By.ANSWERS
    return singled_out(thing.signs(), thing.source), By.SIGN


def singled_out(matches: Iterable[Misconception], source: Any) -> list[Misconception]:
    """Of mistakes that all explain it the one that ``source`` tells, else all; none where they are too many to be told.

    The source decides where values cannot, and its silence leaves the family as it is.
    """
    found = list({one.id: one for one in reversed([*matches])}.values())[::-1]
    told = [one for one in found if source and one.tie_break is not None and one.tie_break(source)]
    found = told if len(told) == 1 else found
    if len(found) > MOST_TWINS:  # whatever the others say, that is not what the course settles
        found = [one for one in found if one.id.startswith("course-")]
    return found if len(found) <= MOST_TWINS else []
