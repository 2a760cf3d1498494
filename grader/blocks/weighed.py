"""A part that is handed in as a torch module: asked, its weights searched, judged."""

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
from grader.component.calls import Case
from grader.component.checks import Check
from grader.component.context import Context, Rounds, replies_to
from grader.component.part import Answers
from grader.judging import diagnose
from grader.judging.outcomes import never_entered, of_check
from grader.model.outcome import Outcome, Verdict
from grader.paper.stacks import positions
from grader.sandbox.plain import Program, Reply

Asking = Generator[Sequence[Program], Sequence[Reply], "Module"]


def read(block: Declaration, context: Context) -> Asking:
    """Ask what every check asks: the module with its replies, and the checks that there is something to ask for.

    Two rounds, or three where the arguments have to be given in another way.
    """
    making = block.making(context.interface, context.function or context.interface.callable)
    bare, reply = yield _scouts(block, making, context)
    if never_entered(reply):
        otherwise = replace(making, otherwise=True)
        second = yield _scouts(block, otherwise, context)
        if not never_entered(second[1]):
            making, (bare, reply) = otherwise, second
    subject = _subject(block, context, making, bare, reply)
    checks = block.checks_for(making, subject.cases)
    subject.asked, asked = checks, dict[str, Steps]()
    if subject.inventory:
        for check in checks:
            asked |= {key: steps for key, steps in check.ask(subject).items() if key not in asked}
        subject.replies = yield from replies_to({key: Program(steps, block.name) for key, steps in asked.items()})
    return Module(subject, checks)


@dataclass(slots=True)
class Module(Answers):
    """A submission's class as the checks of a block see it."""

    subject: Subject
    checks: Sequence[Check]

    def judged(self) -> Rounds:
        """The outcome of each check, under the weights that are found for the module and the mistake in it."""
        subject, only = self.subject, self.subject.block.only
        if subject.inventory:
            found, _ = yield from diagnose.explain(explain.read(subject))
            if found:
                subject.fault, subject.family = found[0], tuple(fault.ids for fault in found[1:])
        judge = [check for check in self.checks if check.name in only] if only else self.checks
        return tuple(of_check(partial(self._found, check), subject.block.name, check) for check in judge)

    def _found(self, check: Check) -> Outcome:
        found: Outcome = (
            check.judge(self.subject) if self.subject.inventory else self.subject.failure(self.subject.scout)
        )
        return found

    def smaller(self, outcomes: tuple[Outcome, ...]) -> Rounds:
        """The outcomes with examples of a small module, where it makes the same mistake."""
        shown = {o.check.partition(".")[2] for o in outcomes if o.verdict is Verdict.FAILED and o.counterexample}
        subject, making = self.subject, self.subject.making
        if not shown or subject.reading is None or not of_torch(making) or making.adapter is not None:
            return outcomes
        found = () if subject.fault is None else (subject.fault, *subject.fault.parts)
        small = replace(subject.block, sizes=SMALL, only=frozenset(shown), faults=found)
        again = yield from (yield from read(small, subject.context)).judged()
        seen = {outcome.check: outcome for outcome in again}
        return tuple(_exemplified(outcome, seen.get(outcome.check)) for outcome in outcomes)


def _scouts(block: Declaration, making: Making, context: Context) -> list[Program]:
    """What the module holds before its first call, and after it, with a trace of the second."""
    call = making.call(_first_case(block, context, making).inputs)
    call |= {"each": call["each"][:1]} if "each" in call else {}  # one after the other they take all weights again
    build: Steps = (making.construct(), {"do": "mode", "on": "module", "train": False})
    look: Steps = ({"do": "inventory", "on": "module"},)
    traced: Steps = ({"do": "trace", "on": "module", "call": call},)
    return [Program(build + look, block.name), Program((*build, {**call, "quiet": True}, *look, *traced), block.name)]


def _rng(block: Declaration, context: Context) -> np.random.Generator:
    return np.random.default_rng([context.seed, zlib.crc32(block.name.encode())])


def _first_case(block: Declaration, context: Context, making: Making) -> Case:
    return block.cases_for(_rng(block, context), making)[0]


def _subject(block: Declaration, context: Context, making: Making, bare: Reply, reply: Reply) -> Subject:
    rng = _rng(block, context)
    subject = Subject(block, context, making, making.sizes, block.cases_for(rng, making), reply)
    before, after = _inventory(bare), _inventory(reply)
    if after is None and before is None:
        return subject
    subject.inventory = after or before or {}
    if after is not None and (before is None or before["parameters"] != after["parameters"]):
        subject.lazy = making.call(subject.cases[0].inputs)
    subject.tensors = _tensors(block, subject)
    if reply.status == "value":
        subject.uses = tuple((name, function) for name, function in reply.values[-1]["uses"])
        if not subject.uses:  # rows that are only taken from a table enter no function
            tables = (name for name, one in subject.tensors.items() if reading.kind_of(one, subject.sizes) == "P")
            subject.uses = tuple((name, "getitem") for name in tables)
    elif after is not None:  # it runs and cannot be traced: the order of registration has to do
        subject.uses = tuple((name, "") for name in subject.tensors)
    subject.tensors = reading.taking_part(subject.tensors, () if of_torch(making) else subject.uses)
    if block.fixed_positions:
        subject.tensors = reading.without_tables(subject.tensors, subject.uses, subject.sizes)
    unlearned = reading.unlearned(subject.inventory, subject.uses, subject.sizes, fixed_positions=block.fixed_positions)
    subject.tensors, subject.unlearned = {**subject.tensors, **unlearned}, frozenset(unlearned)
    subject.material = reading.read(subject.tensors, subject.uses, subject.sizes)
    if reply.status == "value" and _starts_doubled(reply.values[-1]["value"]):
        for operation in subject.material.operations:
            operation.gain_beyond_one = False
    hidden = {row["name"] for row in subject.inventory.get("hidden", ())}
    subject.unregistered = bool((hidden | subject.unlearned) & set(subject.used()))
    subject.values = whole(subject.tensors) if block.only else drawn(subject.tensors, subject.sizes, rng)
    if block.fixed_positions:
        d = subject.sizes.d_model
        subject.values = {
            name: positions(array.size // d, d).astype(np.float32).reshape(array.shape)
            if reading.kind_of(subject.tensors[name], subject.sizes) == "P"
            else array
            for name, array in subject.values.items()
        }
    return subject


def _tensors(block: Declaration, subject: Subject) -> dict[str, reading.Tensor]:
    """What is filled: an array of numpy does not say whether it is trained, so a table of positions stays as it is.

    So does all that a numpy class holds where the paper has no weights.
    """
    making, sizes = subject.making, subject.sizes
    found = reading.tensors_of(subject.inventory, sizes, fixed_positions=block.fixed_positions)
    if not block.fixed_positions or of_torch(making) or making.said.get("learned_positions") is True:
        return found
    weighs = bool(block.shapes(sizes))
    return {name: one for name, one in found.items() if weighs and reading.kind_of(one, sizes) != "P"}


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
        (value for value in reply.values if isinstance(value, dict) and "parameters" in value and "hidden" in value),
        None,
    )


def _starts_doubled(value: Any) -> bool:
    """Whether positions begin with a spread of 2: 1 + gain is meant for a gain that begins at 0."""
    array = getattr(value, "array", None)
    with np.errstate(all="ignore"):  # weights that nobody has set can be any numbers
        return isinstance(array, np.ndarray) and array.ndim > 0 and bool(abs(array.std(axis=-1).mean() - 2) < 0.1)  # noqa: PLR2004 - as said
