"""Ask a submission's class, find out how it reads, judge every check."""

from __future__ import annotations

import zlib
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from grader.blocks import explain, reading
from grader.blocks.block import Declaration
from grader.blocks.programs import Making, Steps, of_torch
from grader.blocks.sizes import SMALL
from grader.blocks.subject import Subject, drawn, whole
from grader.component import Case, Check
from grader.judging.context import Context, Rounds, replies_to
from grader.judging.examples import smaller_where_possible
from grader.judging.outcomes import never_entered, of_check
from grader.model import Outcome, Verdict
from grader.paper.stacks import positions
from grader.sandbox.parent import Program, Reply

Asking = Generator[Sequence[Program], Sequence[Reply], "tuple[Subject, list[Check]]"]


@dataclass(frozen=True, slots=True)
class Block(Declaration):
    """The declaration as a :class:`~grader.judging.part.Part`: how a submission is judged by it."""

    def examine(self, context: Context) -> Rounds:
        """Judge every check under what the assignment settles."""
        return self.under(context.interface).judged(context)

    def judged(self, context: Context) -> Rounds:
        """Judge every check."""
        subject, checks = yield from self.answered(context)
        if subject.inventory:
            explain.settle(subject)
        checks = [check for check in checks if check.name in self.only] if self.only else checks
        outcomes = tuple(self._outcome(check, subject) for check in checks)
        if self.only:
            return outcomes
        return (yield from smaller_where_possible(self._shown_small(context, subject, outcomes), outcomes, self.name))

    def answered(self, context: Context) -> Asking:
        """Ask what every check asks: the subject with the replies, and the checks that there is something to ask for.

        Two rounds, or three where the arguments have to be given in another way.
        """
        making = self.making(context.interface, context.function or context.interface.callable)
        bare, reply = yield self._scouts(making, context)
        if never_entered(reply):
            otherwise = replace(making, otherwise=True)
            second = yield self._scouts(otherwise, context)
            if not never_entered(second[1]):
                making, (bare, reply) = otherwise, second
        subject = self._subject(context, making, bare, reply)
        checks = self.checks_for(making, subject.cases)
        subject.asked, asked = checks, dict[str, Steps]()
        if subject.inventory:
            for check in checks:
                asked |= {key: steps for key, steps in check.ask(subject).items() if key not in asked}
            subject.replies = yield from replies_to({key: Program(steps, self.name) for key, steps in asked.items()})
        return subject, checks

    def _shown_small(self, context: Context, subject: Subject, outcomes: tuple[Outcome, ...]) -> Rounds:
        """The outcomes with examples of a small module, where it makes the same mistake."""
        shown = {o.check.partition(".")[2] for o in outcomes if o.verdict is Verdict.FAILED and o.counterexample}
        making = subject.making
        if not shown or subject.reading is None or not of_torch(making) or making.adapter is not None:
            return outcomes
        found = () if subject.fault is None else (subject.fault, *subject.fault.parts)
        small = replace(self, sizes=SMALL, only=frozenset(shown), faults=found)
        seen = {outcome.check: outcome for outcome in (yield from small.judged(context))}
        return tuple(_exemplified(outcome, seen.get(outcome.check)) for outcome in outcomes)

    def _scouts(self, making: Making, context: Context) -> list[Program]:
        """What the module holds before its first call, and after it, with a trace of the second."""
        call = making.call(self._first_case(context, making).inputs)
        build: Steps = (making.construct(), {"do": "mode", "on": "module", "train": False})
        look: Steps = ({"do": "inventory", "on": "module"},)
        traced: Steps = ({"do": "trace", "on": "module", "call": call},)
        return [Program(build + look, self.name), Program((*build, {**call, "quiet": True}, *look, *traced), self.name)]

    def _rng(self, context: Context) -> np.random.Generator:
        return np.random.default_rng([context.seed, zlib.crc32(self.name.encode())])

    def _first_case(self, context: Context, making: Making) -> Case:
        return self.cases_for(self._rng(context), making)[0]

    def _subject(self, context: Context, making: Making, bare: Reply, reply: Reply) -> Subject:
        rng = self._rng(context)
        subject = Subject(self, context, making, making.sizes, self.cases_for(rng, making), reply)
        before, after = _inventory(bare), _inventory(reply)
        if after is None and before is None:
            return subject
        subject.inventory = after or before or {}
        if after is not None and (before is None or before["parameters"] != after["parameters"]):
            subject.lazy = making.call(subject.cases[0].inputs)
        subject.tensors = self._tensors(subject)
        if reply.status == "value":
            subject.uses = tuple((name, function) for name, function in reply.values[-1]["uses"])
            if not subject.uses:  # rows that are only taken from a table enter no function
                tables = (name for name, one in subject.tensors.items() if reading.kind_of(one, subject.sizes) == "P")
                subject.uses = tuple((name, "getitem") for name in tables)
        elif after is not None:  # it runs and cannot be traced: the order of registration has to do
            subject.uses = tuple((name, "") for name in subject.tensors)
        subject.tensors = reading.taking_part(subject.tensors, () if of_torch(making) else subject.uses)
        if self.fixed_positions:
            subject.tensors = reading.without_tables(subject.tensors, subject.uses, subject.sizes)
        unlearned = reading.unlearned(
            subject.inventory, subject.uses, subject.sizes, fixed_positions=self.fixed_positions
        )
        subject.tensors, subject.unlearned = {**subject.tensors, **unlearned}, frozenset(unlearned)
        subject.material = reading.read(subject.tensors, subject.uses, subject.sizes)
        if reply.status == "value" and _starts_doubled(reply.values[-1]["value"]):
            for operation in subject.material.operations:
                operation.gain_beyond_one = False
        hidden = {row["name"] for row in subject.inventory.get("hidden", ())}
        subject.unregistered = bool((hidden | subject.unlearned) & set(subject.used()))
        subject.values = whole(subject.tensors) if self.only else drawn(subject.tensors, subject.sizes, rng)
        if self.fixed_positions:
            d = subject.sizes.d_model
            subject.values = {
                name: positions(array.size // d, d).astype(np.float32).reshape(array.shape)
                if reading.kind_of(subject.tensors[name], subject.sizes) == "P"
                else array
                for name, array in subject.values.items()
            }
        return subject

    def _tensors(self, subject: Subject) -> dict[str, reading.Tensor]:
        """What is filled: an array of numpy does not say whether it is trained, so a table of positions stays as it is.

        So does all that a numpy class holds where the paper has no weights.
        """
        making, sizes = subject.making, subject.sizes
        found = reading.tensors_of(subject.inventory, sizes, fixed_positions=self.fixed_positions)
        if not self.fixed_positions or of_torch(making) or making.said.get("learned_positions", False):
            return found
        weighs = bool(self.shapes(sizes))
        return {name: one for name, one in found.items() if weighs and reading.kind_of(one, sizes) != "P"}

    def _outcome(self, check: Check, subject: Subject) -> Outcome:
        judge = partial(check.judge, subject) if subject.inventory else partial(subject.failure, subject.scout)
        return of_check(judge, self.name, check)


def _exemplified(outcome: Outcome, small: Outcome | None) -> Outcome:
    """The outcome with the example of a small module that fails for the same reason; what is drawn stays large."""
    example = outcome.counterexample
    if example is None or small is None or small.counterexample is None or small.verdict is not outcome.verdict:
        return outcome
    if (small.diagnosis and small.diagnosis.ids) != (outcome.diagnosis and outcome.diagnosis.ids):
        return outcome
    return replace(outcome, counterexample=replace(small.counterexample, picture=example.picture))


def _inventory(reply: Reply) -> Mapping[str, Any] | None:
    return next(
        (value for value in reply.values if isinstance(value, dict) and "parameters" in value and "modules" in value),
        None,
    )


def _starts_doubled(value: Any) -> bool:
    """Whether positions begin with a spread of 2: 1 + gain is meant for a gain that begins at 0."""
    array = getattr(value, "array", None)
    return isinstance(array, np.ndarray) and array.ndim > 0 and bool(abs(array.std(axis=-1).mean() - 2) < 0.1)  # noqa: PLR2004 - as said
