"""The one face that functions, torch modules and honesty show to whoever asks for them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Protocol, Self

from grader.component.checks import Check, Misconception
from grader.component.context import Context, Rounds
from grader.component.convention import Settled
from grader.errors import nearest
from grader.model.assignment import Interface
from grader.model.outcome import Outcome
from grader.sandbox.plain import Program, Reply

_log = logging.getLogger("grader")
Complaint = tuple[tuple[str | int, ...], str]
"""The field below the component, and what is wrong with it."""


class Part:
    """A part of the paper as it can be set: what it checks, what it knows to be wrong, what a course can settle.

    ``name`` is its id, ``title`` its name for people, ``reread`` where the paper speaks of it. ``returns`` names what
    comes back, where there are several values. ``needs_function`` says whether a submission must define a callable for
    it, ``returns_mask`` whether a mask is what it makes, ``of_torch`` whether it is a module of torch. ``called`` is
    the component itself where its answers are compared call by call; None where a module or the whole work is read.
    """

    name: str
    title: str
    reread: str
    checks: tuple[Check, ...]
    returns: tuple[str, ...] = ()
    needs_function: ClassVar[bool] = True
    returns_mask: bool = False
    of_torch: ClassVar[bool] = False
    called: Any = None

    @property
    def given(self) -> tuple[str, ...]:
        """What a call of it can be given, by our names."""
        return ()

    @property
    def misconceptions(self) -> Sequence[Misconception]:
        """The mistakes that are known by name."""
        raise NotImplementedError

    @property
    def conventions(self) -> tuple[Settled, ...]:
        """All conventions that an assignment can declare for it."""
        return ()

    def settled_for(self, interface: Interface) -> tuple[Settled, ...]:
        """The conventions that mean something in a call as the assignment has it."""
        return tuple(one for one in self.conventions if not one.passing or one.passing in interface.parameters)

    def under(self, interface: Interface) -> Self:  # noqa: ARG002 - of what can be set
        """The part as an assignment sets it: what is right, what is known to be wrong and what is said follow it."""
        return self

    def checks_told(self, say: Callable[[str], str]) -> tuple[Check, ...]:
        """Its checks, with their texts as ``say`` tells them under what is declared."""
        return tuple(replace(one, title=say(one.title), detail=say(one.detail)) for one in self.checks)

    def asked(self, interface: Interface) -> frozenset[str]:  # noqa: ARG002 - of what is called
        """The names of the checks that the hand-out does not rule out: the others are neither judged nor counted."""
        return frozenset(check.name for check in self.checks)

    def complaints(self, interface: Interface) -> Iterator[Complaint]:
        """Field and complaint for what an assignment says of it and it does not know: nothing said is ignored."""
        known = {one.key: one for one in self.settled_for(interface)}
        for key, value in interface.conventions.items():
            if key not in known:
                cure = nearest(str(key), tuple(sorted(known)))
                yield ("conventions", key), f"{interface.component} knows no convention {key!r}. {cure}"
            elif wrong := known[key].complaint(value):
                yield ("conventions", key), wrong

    def takes(self, interface: Interface, name: str) -> bool:  # noqa: ARG002 - of what is called
        """Whether what an assignment calls is handed something of that name, when it is made or called."""
        return False

    def signature(self, interface: Interface, given: Sequence[str] = ()) -> str:  # noqa: ARG002 - of what is called
        """How it is called, as an assignment has it; empty where nothing is told.

        ``given`` is how a starter has it: the arguments of the call, those it is made with, and the method called.
        """
        return ""

    def read(self, context: Context) -> Asking:
        """Ask the submission in rounds what the checks ask: a function's calls, a module by a search of its weights."""
        raise NotImplementedError


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


Asking = Generator[Sequence[Program], Sequence[Reply], Answers]
"""Yields programs for the child, is sent their replies, and ends with what they say."""


def examine(part: Part, context: Context) -> Rounds:
    """Judge every check of a part, whatever it is handed in as."""
    answers = yield from part.read(context)
    outcomes = yield from answers.judged()
    try:
        outcomes = yield from answers.smaller(outcomes)
    except Exception:  # noqa: BLE001 - what is shown takes no part in what is judged
        _log.exception("no smaller example of %s", part.name)
    return tuple(map(answers.drawn, outcomes))
