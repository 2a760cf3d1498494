"""What judges: the one face that functions, torch modules and honesty show to whoever asks for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from grader.component import Check, Misconception, Settled
from grader.component.declared import Complaint
from grader.judging.context import Context, Rounds
from grader.model import Interface


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

    def examine(self, context: Context) -> Rounds:
        """Ask the submission in rounds and end with one outcome for each check."""
