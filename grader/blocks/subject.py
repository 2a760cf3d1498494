"""One module under examination: what was asked, what came back, and how it reads."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from grader import exceptions
from grader.blocks.block import Declaration, keys_of
from grader.blocks.pairs import about_masks
from grader.blocks.pasted import tried
from grader.blocks.programs import Making, Step, Steps, of_torch, prepared
from grader.blocks.reading import Material, Tensor, kind_of
from grader.blocks.returned import for_all, short, turned, turned_index, unflattened, unwrapped
from grader.blocks.search import Reading
from grader.blocks.sizes import SMALL, Sizes
from grader.component.calls import Case
from grader.component.checks import Misconception
from grader.component.context import Context
from grader.judging import wording
from grader.judging.agreement import attempted, raised_by
from grader.judging.outcomes import finding
from grader.judging.prediction import by_value, lasting
from grader.judging.snippet import Tried, home, snippet
from grader.model.outcome import By, Counterexample, Diagnosis, Outcome, Raised, Verdict
from grader.paper.sublayers import NONE, Knobs
from grader.paper.weights import Array, Roles
from grader.properties import Comparison, alike
from grader.sandbox.plain import Failure, Reply
from grader.sandbox.wire import TensorValue

FEW = 0.05
"""The share of positions that may be others where half precision rounds the scores, beside one."""


@dataclass(slots=True)
class Subject:
    """A submission's class as one block sees it. Filled in as replies come."""

    block: Declaration
    context: Context
    making: Making
    sizes: Sizes
    cases: tuple[Case, ...]
    scout: Reply
    asked: Sequence[Any] = ()
    inventory: Mapping[str, Any] = field(default_factory=dict)
    uses: tuple[tuple[str, str], ...] = ()
    tensors: Mapping[str, Tensor] = field(default_factory=dict)
    material: Material = field(default_factory=Material)
    values: Mapping[str, Array] = field(default_factory=dict)
    lazy: Step | None = None
    replies: dict[str, Reply] = field(default_factory=dict)
    reading: Reading | None = None
    fault: Misconception | None = None
    family: tuple[tuple[str, ...], ...] = ()
    complete: bool = False
    unregistered: bool = False
    unlearned: frozenset[str] = frozenset()
    cache: dict[Any, Any] = field(default_factory=dict)

    @property
    def source(self) -> str:
        """The submission's code as one text."""
        return "\n".join(module.source for module in self.context.submission.modules)

    def prepared(self, *, train: bool = False, **changes: Any) -> Steps:
        """Steps that build the module with the drawn weights; ``changes`` replace constructor arguments."""
        steps = prepared(self.making, self.values, lazy=self.lazy, train=train, **changes)
        if self.unregistered and of_torch(self.making):  # layers that eval() does not reach, which another check says
            return (*steps, {"do": "mode", "on": "module", "train": train, "hidden": True})
        return steps

    def case(self, key: str) -> Case:
        """Return the case of that key. Raises StopIteration."""
        return next(case for case in self.cases if case.key == key)

    def keys(self, wanted: Sequence[str]) -> tuple[str, ...]:
        """The keys of the cases of those names."""
        return keys_of(wanted, [case.key for case in self.cases])

    def expected(self, case: Case, knobs: Knobs = NONE) -> Array:
        """What the paper, or a known mistake, gives under the reading that was found."""
        assert self.reading is not None  # noqa: S101 - callers look first
        key = (case.key, tuple(sorted((name, str(setting)) for name, setting in knobs.items())))
        if key not in self.cache:
            with np.errstate(all="ignore"):
                self.cache[key] = self.block.compute(Roles(self.reading.roles), case.inputs, self.sizes, knobs)
        return np.asarray(self.cache[key])

    def compute(self, inputs: Mapping[str, Any], knobs: Knobs) -> Array:
        """What the block gives for inputs of one's own under the reading that was found."""
        assert self.reading is not None  # noqa: S101 - callers look first
        return self.block.compute(Roles(self.reading.roles), inputs, self.sizes, knobs)

    @property
    def free(self) -> tuple[Knobs, ...]:
        """Settings that are right here: the block's own, and what the assignment leaves open.

        With ``norm: either`` a norm in either place is right, with ``mask: either`` every consistent meaning of True.
        """
        conventions = self.context.interface.conventions
        norms: tuple[Knobs, ...] = ({}, {"stack.norm": "pre"}) if conventions.get("norm") == "either" else ({},)
        masks: tuple[Knobs, ...] = ({}, {"sdpa.mask_inverted": True}) if conventions.get("mask") == "either" else ({},)
        return tuple({**knobs, **norm, **mask} for mask in masks for norm in norms for knobs in self.block.free)

    @property
    def loose(self) -> Mapping[str, tuple[int, ...]]:
        """Shapes of the tensors that are plain attributes, neither parameters nor buffers, by name."""
        return {row["name"]: tuple(row["shape"]) for row in self.inventory.get("loose", ())}

    @property
    def preparation(self) -> int:
        """How many steps of a program come before its first call."""
        key = ("preparation", self.lazy is None)
        if key not in self.cache:
            self.cache[key] = len(self.prepared())
        steps: int = self.cache[key]
        return steps

    def output(self, reply: Reply, shape: tuple[int, ...], call: int = 0) -> Any:
        """The value of a program's call after its preparation, as :meth:`read` gives it."""
        return self.read(reply.values[self.preparation + call], shape)

    def read(self, value: Any, shape: tuple[int, ...]) -> Any:
        """What a call gave in the paper's form, with a lone tensor taken out of a tuple or dict."""
        if self.making.said.get("flat") and len(shape) > 2:  # noqa: PLR2004 - batch, positions, words
            value = unflattened(unwrapped(value, (math.prod(shape[:-1]), shape[-1])), shape)
        if self.making.sequence_first:
            value = turned(unwrapped(value, (shape[1], shape[0], *shape[2:]) if len(shape) > 1 else shape))
        found = unwrapped(value, shape)
        found = for_all(found, shape) if self.making.said.get("positions") == "rows" else found
        return TensorValue(found, "cpu", requires_grad=False) if isinstance(found, np.ndarray) else found

    @property
    def steady(self) -> bool:
        """Whether two calls with one input agreed, as far as that was asked."""
        again = self.replies.get("again")
        return again is None or again.status != "value" or self.repeats(again)

    def repeats(self, reply: Reply) -> bool:
        """Whether a program's first two calls gave the same answer."""
        one, other = self.numbers(reply, 0), self.numbers(reply, 1)
        return one is None or other is None or alike(one, other, 1e-5)

    def numbers(self, reply: Reply | None, call: int = 0, shape: tuple[int, ...] | None = None) -> Array | None:
        """The numbers of a program's call after its preparation; None where it gave none, or was not asked."""
        if reply is None or reply.status != "value":
            return None
        array = getattr(self.output(reply, shape or self.shape(self.cases[0]), call), "array", None)
        return array if isinstance(array, np.ndarray) else None

    def shape(self, case: Case, knobs: Knobs | None = None) -> tuple[int, ...]:
        """Shape of the right answer to a case, or of that under ``knobs``."""
        key = ("shape", case.key, str(knobs))
        if key not in self.cache:
            roles = Roles({role: np.zeros(shape) for role, shape in self.block.shapes(self.sizes).items()})
            right = self.block.right if knobs is None else knobs
            with np.errstate(all="ignore"):
                self.cache[key] = self.block.compute(roles, case.inputs, self.sizes, right).shape
        shape: tuple[int, ...] = self.cache[key]
        return shape

    def answered(self, case: Case) -> bool:
        """Whether the call of a case ended with a value."""
        reply = self.replies.get(f"case:{case.key}")
        return reply is not None and reply.status == "value"

    def has_numbers(self, case: Case, knobs: Knobs | None = None) -> bool:
        """Whether an answer is a tensor with the digits of float32, of any shape; on the meta device it has none.

        Of several values returned the one is meant that has the shape of the paper's answer, under ``knobs``.
        """
        if not self.answered(case):
            return False
        value = self.output(self.replies[f"case:{case.key}"], self.shape(case, knobs))
        array = getattr(value, "array", value)
        if not isinstance(array, np.ndarray) or array.dtype.kind != "f" or getattr(value, "device", "cpu") != "cpu":
            return False
        return bool(np.isfinite(array).any()) and not short(array)

    def shaped(self, case: Case, knobs: Knobs) -> bool:
        """Whether an answer has the right shape, or that which a mistake makes under any weights."""
        reply = self.replies[f"case:{case.key}"]
        if reply.status != "value":
            return True
        if self._has_shape(reply, self.shape(case)):
            return True
        made = attempted(lambda: self.shape(case, knobs))
        return isinstance(made, Raised) or self._has_shape(reply, made)

    def _has_shape(self, reply: Reply, shape: tuple[int, ...]) -> bool:
        array = getattr(self.output(reply, shape), "array", None)
        return isinstance(array, np.ndarray) and array.shape == shape

    def agrees(self, case: Case, reading: Reading, knobs: Knobs, *, over_nothing: bool = True) -> bool:
        """Whether a computation under a reading answers a case as the module did, exceptions by their kind.

        A softmax ``over_nothing`` may give what any library gives; without it, that is no number.
        """
        reply = self.replies[f"case:{case.key}"]
        # What several masks do to a single head hangs on how the shapes meet.
        if (case.may_be_refused and reply.status == "error") or (knobs.get("mha.one_head") and _for_each_head(case)):
            return True
        predicted = self._predicted(case, reading, knobs)
        if isinstance(predicted, Raised):
            return raised_by(reply.status, reply.failure) == predicted.family
        if reply.status != "value":
            return False
        got = self.output(reply, predicted.shape)
        array = getattr(got, "array", got)
        if not isinstance(array, np.ndarray) or array.shape != predicted.shape or array.dtype.kind != "f":
            return False
        finite = bool(np.isfinite(predicted).all())
        # Where a mistake lets several keys be seen, the weights of huge scores hang on how float32 rounds them.
        rounded = finite and case.key == "steep" and any(about_masks(name) for name in knobs)
        if alike(array, predicted, 1e-2 if rounded else 1e-4) or ("sdpa.half" in knobs and _mostly(array, predicted)):
            return True
        return over_nothing and not finite and self._agrees_with_fill(case, reading, knobs, array)

    def _agrees_with_fill(self, case: Case, reading: Reading, knobs: Knobs, array: Array) -> bool:
        """The same where a softmax over nothing is uniform, as if unmasked, or zero."""
        if "sdpa.fill" in knobs:
            return False
        close = _partly_alike if case.key == "steep" and not any(about_masks(name) for name in knobs) else alike
        filled = ((self._predicted(case, reading, {**fill, **knobs}), tolerance) for fill, tolerance in _FILLS)
        return any(
            not isinstance(value, Raised) and bool(np.isfinite(value).all()) and close(array, value, tolerance)
            for value, tolerance in filled
        )

    def _predicted(self, case: Case, reading: Reading, knobs: Knobs) -> Any:
        compute, sizes = self.block.compute, self.sizes
        return by_value(
            lambda: attempted(lambda: np.asarray(compute(Roles(reading.roles), case.inputs, sizes, knobs))),
            *(compute, lasting(reading.roles), lasting(case.inputs), sizes, knobs),
        )

    def used(self) -> tuple[str, ...]:
        """Names of the parameters that took part in a forward pass, in the order of their first use."""
        return tuple(dict.fromkeys(name for name, _ in self.uses if name in self.tensors))

    def failed(self, message: str, sign: str, **more: Any) -> Outcome:
        """The finding that something is wrong, a ``sign`` of the mistake of that id where the block knows it."""
        return finding(Verdict.FAILED, message, diagnosis=self.block.sign(sign) if sign else None, **more)

    def failure(self, reply: Reply, times: int = 1) -> Outcome:
        """What a program comes to that did not end with a value; it had ``times`` the seconds of a call."""
        found = wording.of_call(reply.status, reply.failure, self.making.target, self.context, times)
        if reply.failure is None or reply.status != "error":
            return found
        message = found.message + _advice(reply.failure, self.making)
        return replace(found, message=message, diagnosis=self._explained(reply.failure))

    def _explained(self, failure: Failure) -> Diagnosis | None:
        """Name the mistake behind an exception, where the exception alone tells."""
        if exceptions.kind(failure.message) == "contiguous":
            return self.block.sign("mha-view-on-noncontiguous", By.EXCEPTION)
        return self.fault.diagnosis(By.RAISED, self.family) if self.fault is not None else None

    @property
    def may_be_frozen(self) -> frozenset[str]:
        """Names of tensors that need no gradient: a table of positions that the paper fixes."""
        fixed = self.material.positions if self.block.fixed_positions else ()
        return frozenset(tensor.name for tensor in fixed)

    def shown(self, case: Case, found: Comparison, changed: str = "") -> Counterexample:
        """The smallest failing case as text; ``changed`` names the argument that the call wrote into."""
        given = self.making.handed(case.inputs)
        filled = "small whole numbers" if self.sizes == SMALL else "seeded random values"
        alone = "each sequence in a call of its own; " if self.making.batch == "none" else ""
        why = f"{case.why}; {alone}every parameter filled with {filled}"
        unpasted = Tried("", None, (given,))  # without the weights there is nothing to paste
        if self.making.sequence_first:
            found = replace(
                found, expected=turned(found.expected), got=turned(found.got), where=turned_index(found.where)
            )
        example = wording.counterexample(unpasted, found, found.got, found.expected, why, hidden=False)
        rows = [row["name"] for row in self.inventory.get("parameters", ())]
        if alone or self.sizes != SMALL or rows != list(self.values) or self.material.positions:
            return example  # the lines fill what is a parameter, and nothing else
        module = home(self.context.module, self.context.submission)
        call = tried(self.making, module, case.inputs, case.changes, changed)
        return example if call is None else replace(example, snippet=snippet(call))


_FILLS: tuple[tuple[Knobs, float], ...] = (
    ({"sdpa.fill": -1e9}, 1e-4),
    ({"sdpa.fill": -1e4, "sdpa.mask_time": "lowered"}, 5e-3),  # which float32 rounds to three digits
    ({"sdpa.fill": -1e9, "sdpa.mask_time": "lowered in float32"}, 5e-3),
    ({"sdpa.mended": True}, 1e-4),  # as torch's own attention does
)
"""What softmax over nothing becomes: finite numbers that blocked scores get, or zeros; how near an answer comes."""


def _for_each_head(case: Case) -> bool:
    """Whether a mask of the case has another pattern for each head."""
    masks = (value for name, value in case.inputs.items() if "mask" in name and isinstance(value, np.ndarray))
    return any(mask.ndim == 4 and mask.shape[1] > 1 for mask in masks)  # noqa: PLR2004 - batch, heads, queries, keys


def _partly_alike(array: Array, predicted: Array, tolerance: float) -> bool:
    """Whether a quarter of the samples are alike, or more: rounding may decide in the others."""
    close = [alike(one, other, max(tolerance, 1e-2)) for one, other in zip(array, predicted, strict=True)]
    return 4 * sum(close) >= len(close)


def _mostly(array: Array, predicted: Array) -> bool:
    """Whether all positions but a few are alike: a score between two numbers of two bytes falls to either."""
    rows = zip(array.reshape(-1, array.shape[-1]), predicted.reshape(-1, array.shape[-1]), strict=True)
    apart = [not alike(one, other, 1e-4) for one, other in rows]
    return sum(apart) <= 1 + FEW * len(apart)


def gpu_advice(failure: Any) -> str:
    """What to do where a GPU is asked for; empty for all else."""
    asked = exceptions.kind(f"{failure.type}: {failure.message}") == "gpu"
    return "; there is no GPU here: make tensors on the device of the input" if asked else ""


def _advice(failure: Any, making: Making) -> str:
    if advice := gpu_advice(failure):
        return advice
    if failure.type == "TypeError" and not failure.frames:
        refusing = Raised(failure.type, failure.message).refusing
        called = "forward" if refusing == f"{making.target}.forward" else making.target
        return f"; the hand-out asks for {called}({making.told(call=called == 'forward')})"
    return ""


def whole(tensors: Mapping[str, Tensor]) -> dict[str, Array]:
    """Small whole numbers for every parameter, by its place in the module: two lines to paste make the same."""
    return {
        name: ((7 * np.arange(math.prod(tensor.full_shape)) + at) % 5 - 1.0)
        .reshape(tensor.full_shape)
        .astype(np.float32)
        for at, (name, tensor) in enumerate(tensors.items())
    }


def drawn(tensors: Mapping[str, Tensor], sizes: Sizes, rng: np.random.Generator) -> dict[str, Array]:
    """Random values for every parameter: matrices keep the size of what they act on, gains lie around 1."""
    mates = {tensor.owner for tensor in tensors.values() if kind_of(tensor, sizes) != "v"}
    values: dict[str, Array] = {}
    for name, tensor in tensors.items():
        kind = kind_of(tensor, sizes)
        noise = rng.normal(size=tensor.full_shape)
        if kind == "v":
            array = 0.5 * noise + (0.0 if tensor.owner in mates else 1.0)
        else:
            array = noise * {"T": 0.4, "P": 0.5, "F": sizes.d_model**-0.5}.get(kind, 1.2 * sizes.d_model**-0.5)
        values[name] = array.astype(np.float32)
    return values
