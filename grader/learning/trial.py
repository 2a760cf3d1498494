"""A solution asked in its sandbox: what a part answers under settings that are tried; no question is asked twice."""

from __future__ import annotations

import itertools
import math
import pickle
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from grader import components as catalogue
from grader.assessing.session import Session, payload
from grader.component.context import Context, Rounds
from grader.component.part import Part
from grader.model.assignment import Interface
from grader.model.outcome import Outcome
from grader.model.submission import Submission
from grader.sandbox.plain import Limits, Program, Reply
from grader.sandbox.wire import Unsendable

if TYPE_CHECKING:
    from grader.blocks.examine import Block
    from grader.blocks.subject import Subject
    from grader.blocks.weighed import Asking

Told = TypeVar("Told")
MOST_TRIES = 1200
"""Looks at a part before no further way to call it, and no further setting, is tried: as many on any machine."""
MOST_SECONDS = 600
"""Seconds of an ordinary machine after which nothing further is tried: what that leaves open is told."""
LIMITS = Limits(total_s=MOST_SECONDS, cpu_s=MOST_SECONDS)
"""Many settings are tried on one solution; each call has its usual limit."""


@dataclass(slots=True)
class Trial:
    """One solution, what it has answered so far, and how often it was looked at under one setting or another."""

    submission: Submission
    session: Session
    answered: dict[bytes, Reply] = field(default_factory=dict)
    tries: int = 0
    begun: float = field(default_factory=time.monotonic)

    def late(self) -> bool:
        """Whether the time is up, as an ordinary machine has it."""
        return (time.monotonic() - self.begun) / self.session.pace > MOST_SECONDS

    def budget(self, tries: int) -> Callable[[], bool]:
        """Whether anything is left of so many tries from now on."""
        end = self.tries + tries
        return lambda: self.tries < end and not self.late()

    def run(self, rounds: Generator[Sequence[Program], Sequence[Reply], Told]) -> Told:
        """Take the programs of a judge to the solution and its replies back, to the judge's end."""
        return self.run_together([rounds])[0]

    def run_together(self, judges: Sequence[Generator[Sequence[Program], Sequence[Reply], Told]]) -> list[Told]:
        """The same for several judges whose rounds go together: a solution is loaded anew for each round."""
        told: dict[int, Told] = {}
        asking: dict[int, Sequence[Program]] = {}
        answers: dict[int, Sequence[Reply] | None] = dict.fromkeys(range(len(judges)))
        while answers:
            for at, replies in answers.items():
                try:
                    asking[at] = judges[at].send(replies)  # type: ignore[arg-type]
                except StopIteration as end:
                    told[at] = end.value
            every = iter(self._replies([program for programs in asking.values() for program in programs]))
            answers = {at: list(itertools.islice(every, len(programs))) for at, programs in asking.items()}
            asking = {}
        return [told[at] for at in range(len(judges))]

    def _replies(self, programs: Sequence[Program]) -> list[Reply]:
        keys = [pickle.dumps(program.steps) for program in programs]
        asked = {key: program for key, program in zip(keys, programs, strict=True) if key not in self.answered}
        if asked:
            self.answered |= dict(zip(asked, self._asked(tuple(asked.values())), strict=True))
        return [self.answered[key] for key in keys]

    def _asked(self, programs: tuple[Program, ...]) -> Sequence[Reply]:
        """The replies; what is too large to be sent has none, as where a class is made larger than it is meant."""
        try:
            return self.session.ask(payload(self.submission), programs, LIMITS).replies
        except Unsendable:
            half = len(programs) // 2
            return [*self._asked(programs[:half]), *self._asked(programs[half:])] if half else [Reply("error")]

    def outcomes(self, interface: Interface, module: str) -> tuple[Outcome, ...]:
        """What the checks of a function find under ``interface``: no names of mistakes, no small examples."""
        self.tries += 1
        part = catalogue.of(interface, str(interface.conventions.get("form", "")))
        return self.run(_judged(part, self._context(interface, module)))

    def size(self, interface: Interface, module: str) -> int:
        """How many numbers the parameters of a class have, made as ``interface`` says; 0 where it cannot be made."""
        asking = self._read(interface, module)
        bare, *_ = self._replies(next(asking))
        rows = bare.values[-1]["parameters"] if bare.status == "value" else ()
        return sum(math.prod(row["shape"]) for row in rows)

    def scouted(self, interfaces: Sequence[Interface], module: str) -> list[Reply]:
        """What the first call comes to under each of several interfaces, in one round."""
        self.tries += len(interfaces)
        rounds = [next(self._read(one, module)) for one in interfaces]
        replies = iter(self._replies([program for programs in rounds for program in programs]))
        return [list(itertools.islice(replies, len(programs)))[-1] for programs in rounds]

    def subject(self, interface: Interface, module: str) -> Subject:
        """A class that was asked the cases by which it is compared with the paper under ``interface``."""
        return self.subjects([interface], module)[0]

    def subjects(self, interfaces: Sequence[Interface], module: str) -> list[Subject]:
        """The same under each of several interfaces."""
        self.tries += len(interfaces)
        judges = [self._read(one, module) for one in interfaces]
        return [found.subject for found in self.run_together(judges)]

    def _read(self, interface: Interface, module: str) -> Asking:
        from grader.blocks import weighed

        return weighed.read(self._comparing(interface), self._context(interface, module))

    def _comparing(self, interface: Interface) -> Block:
        block = catalogue.block(interface.component)
        checks = tuple(check for check in block.checks if check.keys)
        return replace(block, checks=checks, faults=(), signs=(), of_ids=()).under(interface)

    def _context(self, interface: Interface, module: str) -> Context:
        return Context(interface, self.submission, 0, interface.callable, module, left_open=lambda *_: True)


def _judged(part: Part, context: Context) -> Rounds:
    answers = yield from part.read(context)
    return (yield from answers.judged())


def changed(interface: Interface, **fields: Any) -> Interface:
    """An interface with other fields; ``parameters`` and ``conventions`` as assignment.yaml has them."""
    if "parameters" in fields:
        from grader.catalog.assignments import arguments

        given = fields["parameters"]
        found = arguments(given)
        names = tuple(one.value for one in found if not one.constant)
        plain = not any(one.name or one.constant for one in found)
        fields |= {"parameters": names, "arguments": () if plain else found, "by_keyword": isinstance(given, dict)}
    if "conventions" in fields:
        fields["conventions"] = {**interface.conventions, **fields["conventions"]}
    return replace(interface, **fields)


def complaints(interface: Interface) -> bool:
    """Whether the component does not know what is said of it."""
    from grader.catalog.interfaces import complaints as known

    return any(known(interface))
