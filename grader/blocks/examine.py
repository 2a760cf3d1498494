"""Ask a submission's class, find out how it reads, judge every check."""

from __future__ import annotations

import itertools
import logging
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from grader.blocks import explain, faults, reading, settled
from grader.blocks.calling import complaints, making_of
from grader.blocks.conventions import declarable
from grader.blocks.parts import Knobs
from grader.blocks.pasted import whole_numbers
from grader.blocks.programs import Making, Steps, of_torch
from grader.blocks.sizes import SMALL, Sizes
from grader.blocks.stacks import positions
from grader.blocks.subject import Case, Finding, Subject, drawn, keys_of, whole
from grader.blocks.weights import Array, Roles
from grader.component import Misconception, Settled
from grader.component.declared import Complaint, of_conventions
from grader.judging.context import Context
from grader.model import By, Diagnosis, Interface, Outcome, Verdict
from grader.sandbox.parent import Program, Reply

_log = logging.getLogger("grader")
Rounds = Generator[Sequence[Program], Sequence[Reply], tuple[Outcome, ...]]
Asking = Generator[Sequence[Program], Sequence[Reply], "tuple[Subject, list[BlockCheck]]"]


@dataclass(frozen=True, slots=True)
class BlockCheck:
    """One idea: programs to ask (by key; equal keys are asked once) and a judge of their replies.

    ``title`` is what the student reads, ``detail`` the rest. ``convention`` names the convention it is about. Where the
    assignment does not promise what it ``needs``, or has none of the cases in ``keys``, it is not asked.
    """

    name: str
    title: str
    ask: Callable[[Subject], Mapping[str, Steps]]
    judge: Callable[[Subject], Finding]
    detail: str = ""
    convention: str = ""
    keys: tuple[str, ...] = ()
    needs: Callable[[Making], bool] = lambda _: True

    def asked(self, making: Making, cases: Iterable[str]) -> bool:
        """Whether there is something to ask under what the assignment promises; ``cases`` are the keys of those."""
        return self.needs(making) and (not self.keys or bool(keys_of(self.keys, cases)))


@dataclass(frozen=True, slots=True)
class Block:
    """A component of the paper that is handed in as a torch module.

    ``compute`` is the block in numpy with knobs, ``shapes`` the arrays that it reads, ``cases`` the calls by which
    a module is compared with it, the smallest first. ``free`` are settings of knobs that are all right. ``faults``
    are the known mistakes of the block and of its parts, ``of_ids`` those of a stack that embeds ids itself, ``signs``
    the ids of those that values cannot show.
    ``cost`` says how many times dearer than attention one evaluation is. With ``fixed_positions`` a table of
    positions among the parameters is filled with the paper's, and need not be trained. ``causal_alone``: it makes a
    mask where none is given. ``only`` are the checks that an example in small sizes is looked for: then nothing
    else is asked. ``settled`` is what a course can settle, ``said`` what one has, which makes the knobs of
    ``right`` the right ones.
    """

    name: str
    title: str
    reread: str
    target: str
    compute: Callable[[Roles, Mapping[str, Any], Sizes, Knobs], Array]
    shapes: Callable[[Sizes], Mapping[str, tuple[int, ...]]]
    cases: Callable[[np.random.Generator, Making], tuple[Case, ...]]
    checks: tuple[BlockCheck, ...]
    faults: Sequence[Misconception]
    signs: tuple[str, ...] = ()
    free: tuple[Knobs, ...] = ({},)
    of_ids: Sequence[Misconception] = ()
    cost: int = 1
    fixed_positions: bool = False
    causal_alone: bool = False
    settled: tuple[Settled, ...] = ()
    said: Mapping[str, Any] | None = None
    right: Knobs = field(default_factory=dict)
    sizes: Sizes = Sizes()  # noqa: RUF009 - frozen
    only: frozenset[str] = frozenset()

    @property
    def misconceptions(self) -> tuple[Misconception, ...]:
        """The mistakes that belong to this block itself."""
        signs = [faults.sign(name) for name in self.signs]
        own = [one for one in (*self.faults, *signs) if one.component == self.name or one.id in faults.OF_STACKS]
        return tuple({one.id: one for one in reversed(own)}.values())[::-1]

    def under(self, interface: Interface) -> Block:
        """The block as an assignment sets it: what it settles is right, and what it settles otherwise a mistake."""
        said = {one.key: interface.conventions[one.key] for one in self.settled if one.key in interface.conventions}
        usual = {one.key: one.convention.default for one in self.settled}
        if "ids" in interface.parameters and self.of_ids:
            return replace(self, faults=faults.chained(self.faults, self.of_ids), of_ids=()).under(interface)
        if self.said is not None or all(usual[key] == value for key, value in said.items()):
            return self
        right, say = settled.right_of(self.settled, said), settled.wording(self.settled, said)
        return replace(
            self,
            said=said,
            right={name: setting for name, setting in right.items() if setting is not False},
            compute=partial(_turned_back, self.compute),
            free=settled.free_under(self.free, right),
            faults=faults.Later(lambda: settled.faults_under(self.name, self.faults, self.settled, said)),
            checks=tuple(replace(one, title=say(one.title), detail=say(one.detail)) for one in self.checks),
        )

    @property
    def conventions(self) -> tuple[Settled, ...]:
        """All conventions that an assignment can declare for it."""
        return (*declarable(self.parameters), *self.settled)

    def settled_for(self, interface: Interface) -> tuple[Settled, ...]:
        """The conventions that mean something in a call as the assignment has it."""
        return tuple(one for one in self.conventions if not one.passing or one.passing in interface.parameters)

    def asked(self, interface: Interface) -> frozenset[str]:
        """The checks that have something to ask under what the assignment promises."""
        making = self.making(interface, interface.callable)
        keys = {case.key for case in self._cases(np.random.default_rng(0), making)}
        return frozenset(check.name for check in self.checks if check.asked(making, keys))

    @property
    def needs_function(self) -> bool:
        """A submission must define the class."""
        return True

    def may_be_frozen(self, subject: Subject) -> frozenset[str]:
        """Names of tensors that need no gradient: a table of positions that the paper fixes."""
        return frozenset(tensor.name for tensor in subject.material.positions) if self.fixed_positions else frozenset()

    def sign(self, id: str, by: By = By.SIGN) -> Diagnosis | None:
        """Return the diagnosis of that id, or None where the block does not know it."""
        if id not in self.signs and all(one.id != id for one in self.faults):
            return None
        return settled.said_under(faults.sign(id), self.settled, self.said or {}).diagnosis(by)

    def explain_failure(self, subject: Subject, reply: Reply) -> Diagnosis | None:
        """Name the mistake behind an exception, where the exception alone tells."""
        if reply.failure is None or reply.status != "error":
            return None
        text = reply.failure.message.lower()
        if "view size is not compatible" in text or ("view" in text and "contiguous" in text):
            return self.sign("mha-view-on-noncontiguous", By.EXCEPTION)
        return subject.fault.diagnosis(By.RAISED, subject.family) if subject.fault is not None else None

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
        return outcomes if self.only else (yield from self._shown_small(context, subject, outcomes))

    def answered(self, context: Context) -> Asking:
        """Ask what every check asks: the subject with the replies, and the checks that there is something to ask for.

        Two rounds, or three where the arguments have to be given in another way.
        """
        making = self.making(context.interface, context.function or context.interface.callable)
        bare, reply = yield self._scouts(making, context)
        if _never_entered(reply):
            otherwise = replace(making, otherwise=True)
            second = yield self._scouts(otherwise, context)
            if not _never_entered(second[1]):
                making, (bare, reply) = otherwise, second
        subject = self._subject(context, making, bare, reply)
        keys = [case.key for case in subject.cases]
        checks = [check for check in self.checks if check.asked(making, keys)]
        checks = [check for check in checks if check.keys or check.name in self.only] if self.only else checks
        asked: dict[str, Steps] = {}
        if subject.inventory:
            for check in checks:
                asked |= {key: steps for key, steps in check.ask(subject).items() if key not in asked}
            replies = yield [Program(steps, self.name) for steps in asked.values()]
            subject.replies = dict(zip(asked, replies, strict=True))
        return subject, checks

    def _shown_small(self, context: Context, subject: Subject, outcomes: tuple[Outcome, ...]) -> Rounds:
        """The outcomes with examples of a small module, where it makes the same mistake."""
        shown = {o.check.partition(".")[2] for o in outcomes if o.verdict is Verdict.FAILED and o.counterexample}
        making = subject.making
        if not shown or subject.reading is None or not of_torch(making) or making.adapter is not None:
            return outcomes
        found = () if subject.fault is None else (subject.fault, *subject.fault.parts)
        small = replace(self, sizes=SMALL, only=frozenset(shown), faults=found)
        try:
            seen = {outcome.check: outcome for outcome in (yield from small.judged(context))}
        except Exception:  # noqa: BLE001 - what is shown takes no part in what is judged
            _log.exception("no small example of %s", self.name)
            return outcomes
        return tuple(_exemplified(outcome, seen.get(outcome.check)) for outcome in outcomes)

    def making(self, interface: Interface, target: str) -> Making:
        """How the class ``target`` is made and called under an assignment's interface."""
        return making_of(
            interface,
            target,
            self.constructor,
            self.ways,
            self.sizes,
            causal_alone=self.causal_alone,
            roles=self.shapes,
        )

    def complaints(self, interface: Interface) -> Iterator[Complaint]:
        """Yield field and complaint for what an assignment says of the class and the block does not know."""
        yield from of_conventions(self.settled_for(interface), interface)
        yield from complaints(interface, self.constructor, tuple(dict.fromkeys(itertools.chain(*self.ways))))

    @property
    def constructor(self) -> tuple[str, ...]:
        """The constructor's parameters where an assignment does not say."""
        return _CONSTRUCTORS[self.name]

    @property
    def parameters(self) -> tuple[str, ...]:
        """The parameters of the call where an assignment does not say."""
        return _PARAMETERS[self.name]

    @property
    def ways(self) -> tuple[tuple[str, ...], ...]:
        """The parameters that a call can have, the usual ones first."""
        return (self.parameters, *_OTHERWISE.get(self.name, ()))

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
        return self._cases(self._rng(context), making)[0]

    def _cases(self, rng: np.random.Generator, making: Making) -> tuple[Case, ...]:
        """What can be asked in a call that passes what the assignment says."""
        asked = (case for case in self.cases(rng, making) if case.asked(making))
        cases = (replace(case, inputs=making.filled(case.inputs)) for case in asked)
        return tuple(map(_whole, cases)) if self.only else tuple(cases)

    def _subject(self, context: Context, making: Making, bare: Reply, reply: Reply) -> Subject:
        rng = self._rng(context)
        subject = Subject(self, context, making, making.sizes, self._cases(rng, making), reply)
        before, after = _inventory(bare), _inventory(reply)
        if after is None and before is None:
            return subject
        subject.inventory = after or before or {}
        if after is not None and (before is None or before["parameters"] != after["parameters"]):
            subject.lazy = making.call(subject.cases[0].inputs)
        subject.tensors = reading.tensors_of(subject.inventory, subject.sizes, fixed_positions=self.fixed_positions)
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

    def _outcome(self, check: BlockCheck, subject: Subject) -> Outcome:
        base = Outcome(f"{self.name}.{check.name}", self.name, check.title, Verdict.PASSED)
        found = check.judge(subject) if subject.inventory else subject.failure(subject.scout)
        return replace(
            base,
            verdict=found.verdict,
            passed=found.passed,
            asked=found.asked,
            message=found.message,
            counterexample=found.counterexample,
            location=found.location,
            diagnosis=found.diagnosis,
            notes=found.notes,
            reason=found.reason,
        )


def _exemplified(outcome: Outcome, small: Outcome | None) -> Outcome:
    """The outcome with the example of a small module that fails for the same reason; what is drawn stays large."""
    example = outcome.counterexample
    if example is None or small is None or small.counterexample is None or small.verdict is not outcome.verdict:
        return outcome
    if (small.diagnosis and small.diagnosis.ids) != (outcome.diagnosis and outcome.diagnosis.ids):
        return outcome
    return replace(outcome, counterexample=replace(small.counterexample, picture=example.picture))


def _whole(case: Case) -> Case:
    changed = [None if one is None else (whole_numbers(one[0]), one[1]) for one in (case.blocked, case.kept)]
    return replace(case, inputs=whole_numbers(case.inputs), blocked=changed[0], kept=changed[1])


def _turned_back(
    compute: Callable[[Roles, Mapping[str, Any], Sizes, Knobs], Array],
    weights: Roles,
    inputs: Mapping[str, Any],
    sizes: Sizes,
    knobs: Knobs,
) -> Array:
    """The block where None among the knobs stands for the paper's setting, whatever is declared."""
    return compute(weights, inputs, sizes, {name: setting for name, setting in knobs.items() if setting is not None})


def _inventory(reply: Reply) -> Mapping[str, Any] | None:
    return next(
        (value for value in reply.values if isinstance(value, dict) and "parameters" in value and "modules" in value),
        None,
    )


def _starts_doubled(value: Any) -> bool:
    """Whether positions begin with a spread of 2: 1 + gain is meant for a gain that begins at 0."""
    array = getattr(value, "array", None)
    return isinstance(array, np.ndarray) and array.ndim > 0 and bool(abs(array.std(axis=-1).mean() - 2) < 0.1)  # noqa: PLR2004 - as said


def _never_entered(reply: Reply) -> bool:
    return (
        reply.status == "error"
        and reply.failure is not None
        and reply.failure.type == "TypeError"
        and not reply.failure.frames
    )


_CONSTRUCTORS: Mapping[str, tuple[str, ...]] = {
    "multi_head_attention": ("d_model", "num_heads"),
    "feed_forward": ("d_model", "d_ff", "dropout"),
    "layer_norm": ("d_model", "eps"),
    "add_norm": ("d_model", "dropout"),
    "learned_positional_encoding": ("max_len", "d_model"),
    "positional_encoding": ("d_model", "max_len"),
    "token_embedding": ("vocab", "d_model"),
    "encoder_layer": ("d_model", "num_heads", "d_ff", "dropout"),
    "decoder_layer": ("d_model", "num_heads", "d_ff", "dropout"),
    "encoder": ("d_model", "num_heads", "num_layers", "d_ff", "dropout"),
    "decoder": ("d_model", "num_heads", "num_layers", "d_ff", "dropout"),
    "weight_tying": ("vocab", "d_model"),
    "transformer": ("src_vocab", "tgt_vocab", "d_model", "num_heads", "num_layers", "d_ff", "max_len", "dropout"),
    "language_model": ("vocab", "d_model", "num_heads", "num_layers", "d_ff", "max_len", "dropout"),
    "copy_task": ("src_vocab", "tgt_vocab", "d_model", "num_heads", "num_layers", "d_ff", "max_len", "dropout"),
}
_PARAMETERS: Mapping[str, tuple[str, ...]] = {
    "multi_head_attention": ("query", "key", "value", "mask"),
    "feed_forward": ("x",),
    "layer_norm": ("x",),
    "add_norm": ("x", "sublayer"),
    "learned_positional_encoding": ("x",),
    "positional_encoding": ("x",),
    "token_embedding": ("ids",),
    "weight_tying": ("ids",),
    "encoder_layer": ("x", "mask"),
    "encoder": ("x", "mask"),
    "decoder_layer": ("x", "memory", "src_mask", "tgt_mask"),
    "decoder": ("x", "memory", "src_mask", "tgt_mask"),
    "transformer": ("src", "tgt", "src_mask", "tgt_mask"),
    "language_model": ("ids", "mask"),
    "copy_task": ("src", "tgt", "src_mask", "tgt_mask"),
}
_OTHERWISE: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "add_norm": (("x", "update"),),
    "encoder": (("ids", "mask"),),
    "decoder": (("ids", "memory", "src_mask", "tgt_mask"),),
}
"""Other parameters that a call can have: what a sublayer has made of x in its place, ids that a stack embeds itself."""
