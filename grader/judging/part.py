"""The one face that functions, torch modules and honesty show to whoever asks for them."""

from __future__ import annotations

import logging
from collections.abc import Generator, Iterator, Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from grader.component import Check, Component, Misconception, Settled
    from grader.component.declared import Complaint
    from grader.judging.context import Context, Rounds
    from grader.model import Interface, Outcome
    from grader.sandbox.parent import Program, Reply


_log = logging.getLogger("grader")
Asking: TypeAlias = "Generator[Sequence[Program], Sequence[Reply], Answers]"
"""Yields programs for the child, is sent their replies, and ends with what they say."""


class Part(Protocol):
    """A part of the paper as it can be set: what it checks, what it knows to be wrong, what a course can settle."""

    @property
    def name(self) -> str:
        """The component's id."""

    @property
    def title(self) -> str:
        """Its name for people."""

    @property
    def needs_function(self) -> bool:
        """Whether a submission must define a callable for it."""

    @property
    def given(self) -> tuple[str, ...]:
        """What a call of it can be given, by our names."""

    @property
    def returns(self) -> tuple[str, ...]:
        """The names of what it returns, where there are several."""

    @property
    def returns_mask(self) -> bool:
        """Whether a mask is what it makes."""

    @property
    def called(self) -> Component | None:
        """The component where its answers are compared call by call; None where a module or the whole work is read."""

    @property
    def checks(self) -> Sequence[Check]:
        """Its checks, in order."""

    @property
    def misconceptions(self) -> Sequence[Misconception]:
        """The mistakes that are known by name."""

    @property
    def conventions(self) -> Sequence[Settled]:
        """All conventions that an assignment can declare for it."""

    def under(self, interface: Interface) -> Part:
        """The part as an assignment sets it: what is right, what is known to be wrong and what is said follow it."""

    def asked(self, interface: Interface) -> frozenset[str]:
        """The names of the checks that the hand-out does not rule out: the others are neither judged nor counted."""

    def complaints(self, interface: Interface) -> Iterator[Complaint]:
        """Field and complaint for what an assignment says of it and it does not know."""

    def takes(self, interface: Interface, name: str) -> bool:
        """Whether what an assignment calls is handed something of that name, when it is made or called."""

    def signature(self, interface: Interface, taken: str = "") -> str:
        """How it is called, as an assignment has it or with the arguments ``taken``; empty where nothing is told."""

    def read(self, context: Context) -> Asking:
        """Ask the submission in rounds what the checks ask: a function's calls, a module by a search of its weights."""


class Answers(Protocol):
    """What came back of what was asked of a student's thing, as the checks of its part see it."""

    def judged(self) -> Rounds:
        """The outcome of each check, with the mistake that explains it; may ask once more."""

    def smaller(self, outcomes: tuple[Outcome, ...]) -> Rounds:
        """The outcomes with smaller examples, where there are any."""
        yield from ()
        return outcomes

    def drawn(self, outcome: Outcome) -> Outcome:
        """The outcome with what a drawing of its example shows."""
        return outcome


def examine(part: Part, context: Context) -> Rounds:
    """Judge every check of a part, whatever it is handed in as."""
    answers = yield from part.read(context)
    outcomes = yield from answers.judged()
    try:
        outcomes = yield from answers.smaller(outcomes)
    except Exception:  # noqa: BLE001 - what is shown takes no part in what is judged
        _log.exception("no smaller example of %s", part.name)
    return tuple(map(answers.drawn, outcomes))
