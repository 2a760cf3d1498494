"""The steps that are asked of a module, as plain data for the child."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from grader.blocks.mask_axes import Axes, Shaped, everything
from grader.blocks.sizes import KNOWN, Sizes
from grader.model.assignment import Adapter, Argument
from grader.paper.weights import Array

if TYPE_CHECKING:
    from grader.component.calls import Case

Step = dict[str, Any]
Steps = tuple[Step, ...]
BUILD_SEED = 1706
SEQUENCES = ("query", "key", "value", "x", "ids", "memory", "src", "tgt")
"""Inputs with positions."""
CONFIG = "config"
"""What stands among a constructor's arguments for the config object."""
GENERATOR = "generator"
"""The constant that stands for a generator of random numbers, of numpy."""


@dataclass(frozen=True, slots=True)
class Sublayer:
    """A callable argument ``x -> x @ weight + bias`` that the child builds."""

    weight: np.ndarray[Any, Any]
    bias: np.ndarray[Any, Any]

    def __call__(self, x: Any) -> Any:
        """Apply it to an array."""
        return x @ self.weight + self.bias

    def node(self) -> Step:
        """How the child is told."""
        return {"$": "sublayer", "kind": "linear", "weight": self.weight, "bias": self.bias}


@dataclass(frozen=True, slots=True)
class Making:
    """How the submission's class is constructed and called, in the assignment's order and names.

    ``config`` are the fields of a config object, of the class ``config_class`` or of one that can be read in any way.
    ``mask_axes`` are the shapes promised of masks; empty where nothing is said. ``roles`` are the shapes of weights
    that a constructor can be given. ``said`` are the other conventions, as the assignment has them; with
    ``same_length`` all sequences of a call have one. ``otherwise`` is the second try: by place where the hand-out calls
    by name, and the other way round.
    """

    target: str
    constructor: tuple[Argument, ...]
    arguments: tuple[Argument, ...]
    sizes: Sizes
    built_by_name: bool = False
    called_by_name: bool = False
    config: tuple[Argument, ...] = ()
    config_class: str = ""
    mask: str = "attend"
    mask_type: str = "bool"
    mask_axes: Mapping[str, tuple[Axes, ...]] = field(default_factory=dict)
    mask_required: bool = False
    causal_alone: bool = False
    batch: str = "first"
    backend: str = "torch"
    roles: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    said: Mapping[str, Any] = field(default_factory=dict)
    same_length: bool = False
    adapter: Adapter | None = None
    otherwise: bool = False

    @property
    def parameters(self) -> tuple[str, ...]:
        """Our names of what is passed in a call, in order."""
        return tuple(one.value for one in self.arguments if not one.constant)

    @property
    def sequence_first(self) -> bool:
        """Whether positions come before samples."""
        return self.batch == "second"

    @property
    def longest(self) -> int:
        """The number of positions that the hand-out promises; 0 where it says nothing."""
        said = self.takes("max_len") or "max_len" in self.said.get("sizes", {})
        return self.sizes.max_len if said else 0

    @property
    def hides(self) -> int | None:
        """The id of padding that a model is said to hide by itself; None where nothing is said."""
        usual = "none" if self.said.get("pad_hidden", "none") == "none" else 0
        pad = self.said.get("pad_id", usual)
        return None if pad == "none" else int(pad)

    @property
    def padding(self) -> int:
        """An id that models may take for padding: the declared one, where both languages have it."""
        pad = self.hides or 0
        return pad if 0 <= pad < min(self.sizes.src_vocab, self.sizes.tgt_vocab) else 0

    @property
    def constants(self) -> frozenset[str]:
        """Names of the constants that the constructor is given."""
        return frozenset(one.name for one in (*self.constructor, *self.config) if one.constant)

    def takes(self, name: str) -> bool:
        """Whether the constructor is given that size, or rate."""
        return any(not one.constant and one.value == name for one in (*self.constructor, *self.config))

    def passes(self, name: str) -> bool:
        """Whether a call is given that argument."""
        return name in self.parameters

    def asks(self, case: Case) -> bool:
        """Whether a call passes the case's masks, the constructor takes what it changes, its lengths may differ so."""
        lengths = {case.inputs[name].shape[1] for name in SEQUENCES if name in case.inputs}
        masks = (name for name, value in case.inputs.items() if "mask" in name and value is not None)
        fits = len(lengths) < 2 or not self.same_length  # noqa: PLR2004 - they differ
        return fits and all(map(self.passes, masks)) and all(map(self.takes, case.changes))

    def told(self, *, call: bool) -> str:
        """The arguments of a call, or of the constructor, as a hand-out writes them."""
        said = self.arguments if call else self.constructor
        by_name = self.called_by_name if call else self.built_by_name
        return ", ".join(f"{one.name}={one.value}" if by_name else one.name or str(one.value) for one in said)

    def axes(self, name: str = "mask") -> tuple[Axes, ...]:
        """The shapes that are promised of a mask; empty where nothing is said of them."""
        usual: tuple[Axes, ...] = (("n", "m"),) if self.batch == "none" else ()
        return self.mask_axes.get(name, self.mask_axes.get("", usual))

    def promises(self, axes: Axes, name: str = "mask") -> bool:
        """Whether a mask of that shape may be asked: nothing is said of shapes, or this one is among them."""
        return self.passes(name) and (not self.axes(name) or axes in self.axes(name))

    def construct(self, name: str = "module", **changes: Any) -> Step:
        """Construct the class; ``changes`` replace single sizes.

        What is declared by name is given; of what is declared by its place, a usual value where it has to be.
        """
        usual = [known for known in ("dropout", "eps") if known not in changes]
        step: Step = {"do": "construct", "target": self.target, "as": name, "seed": BUILD_SEED}
        if self.backend != "torch":
            step["numpy"] = True
        if self.adapter is not None:
            sizes = {name: self.sizes.argument(name, changes) for name in KNOWN}
            return {**step, "adapter": asdict(self.adapter), "sizes": sizes}
        given: dict[str, Any] = {}
        for at, one in enumerate(self.constructor):  # a size may be given twice
            key = one.name or one.value
            given[f"argument {at}" if key in given or (one.constant and not one.name) else key] = self._sized(
                one, changes
            )
        by_name = self.built_by_name and not self.otherwise
        spare = [] if by_name else [one for one in self.constructor if not one.constant and one.value in usual]
        optional = [one.name or one.value for one in spare]
        return {**step, "kwargs": given, "named" if by_name else "fit": optional}

    def _sized(self, argument: Argument, changes: Mapping[str, Any]) -> Any:
        if argument.constant:
            return {"$": "rng", "seed": BUILD_SEED} if argument.value == GENERATOR else argument.value
        if argument.value == CONFIG:
            fields = {one.name: self._sized(one, changes) for one in self.config}
            return {"$": "config", "class": self.config_class, "fields": fields}
        if argument.value in self.roles:  # weights that are passed in; others take their place afterwards
            shape = self.roles[argument.value]
            drawn = np.random.default_rng(BUILD_SEED).normal(size=shape)
            return self._array(drawn.astype(np.float64 if self.backend == "numpy" else np.float32))
        return self.sizes.argument(argument.value, changes)

    def call(
        self,
        inputs: Mapping[str, Any],
        *,
        on: str = "module",
        contiguous: bool = True,
        dtype: str = "float32",
        stored: Mapping[str, str] | None = None,
        **options: Any,
    ) -> Step:
        """Call the module on ``inputs`` by canonical name; ``stored`` names inputs that were let before.

        What takes one sequence is called for each of them, and its answers are put together.
        """
        values: dict[str, Any] = {}
        absent: list[str] = []
        given = self.filled(inputs)
        for at, one in enumerate(self.arguments):
            name = one.name or (f"argument {at}" if one.constant else one.value)
            value = one.value if one.constant else given.get(one.value)
            if one.constant:
                values[name] = value
            elif one.value in (stored or {}):
                values[name] = {"$": "ref", "name": (stored or {})[one.value]}
            elif value is None:
                values[name] = None
                absent.append(name)
            else:
                values[name] = self.node(value, contiguous=contiguous, dtype=dtype)
        step: Step = {"do": "call", "on": on, **options}
        if self.batch != "none":
            return step | self._passed(values, absent)
        count = next(len(given[name]) for name in SEQUENCES if name in given)
        return step | {"each": [self._passed(self._of_sample(values, at), absent) for at in range(count)]}

    def _passed(self, values: Mapping[str, Any], absent: Sequence[str]) -> Step:
        """How ``values`` are passed, by their names or by place; ``absent`` are those that are None."""
        if self.adapter is not None:
            return {"kwargs": values}
        if self.otherwise or self.called_by_name:
            return {"kwargs": values, "fit" if self.otherwise else "named": absent}
        order = list(values)
        while order and order[-1] in absent:
            order.pop()
        return {"args": [values[name] for name in order]}

    def _of_sample(self, values: Mapping[str, Any], at: int) -> Step:
        """What is passed of one sample; a mask without an axis for samples is that of all."""
        ours = {one.name or str(one.value): str(one.value) for one in self.arguments if not one.constant}
        found = dict(values)
        for name, node in values.items():
            if not isinstance(node, dict) or name not in ours:
                continue
            if node["$"] == "ref":
                found[name] = {**node, "at": at}
            elif "array" in node and (ours[name] in SEQUENCES or node["array"].ndim > 2):  # noqa: PLR2004 - (n, m)
                found[name] = {**node, "array": np.ascontiguousarray(node["array"][at % len(node["array"])])}
        return found

    def filled(self, inputs: Mapping[str, Any]) -> Mapping[str, Any]:
        """The inputs with a mask that hides nothing in the place of None, where the hand-out wants one always."""
        if not self.mask_required:
            return inputs
        absent = [name for name in self.parameters if "mask" in name and inputs.get(name) is None]
        return {**inputs, **{name: self._open(name, inputs) for name in absent}}

    def _open(self, name: str, inputs: Mapping[str, Any]) -> Array:
        """A mask that hides nothing; of a model's target nothing but what is later."""
        query = next((inputs[name] for name in ("query", "tgt", "x", "ids") if name in inputs), None)
        key = inputs.get("key", inputs.get("src", query))
        if name == "src_mask":
            key = inputs.get("memory", inputs.get("src"))
            query = query if "memory" in inputs else key
        elif name == "tgt_mask":
            key = query
        assert query is not None  # noqa: S101 - a call with a mask has something to mask
        assert key is not None  # noqa: S101
        lengths = (len(query), self.sizes.num_heads, query.shape[1], key.shape[1])
        causal = self.causal_alone and name == "tgt_mask"
        # What hides words of a source hides them from the target, too, which is not as long.
        both = name == "src_mask" and "memory" not in inputs
        promised = self.axes(name) or ((("b", "1", "1", "m") if both else ("n", "m")),)
        axes = next((one for one in promised if "n" in one), promised[0]) if causal else promised[0]
        return everything(axes, lengths, causal=causal)

    def handed(self, inputs: Mapping[str, Any]) -> dict[str, Array]:
        """The arrays of a call as the student's code gets them; the one sequence of self-attention is x."""
        given = {name: value for name, value in self.filled(inputs).items() if isinstance(value, np.ndarray)}
        passed = {name: np.asarray(self.node(given[name])["array"]) for name in self.parameters if name in given}
        if "query" in passed and "key" not in self.parameters:
            passed = {"x" if name == "query" else name: array for name, array in passed.items()}
        return {name: array.astype(np.float64) if array.dtype.kind == "f" else array for name, array in passed.items()}

    def node(self, value: Any, *, contiguous: bool = True, dtype: str = "float32") -> Any:
        """Return an argument as the child builds it; masks in the assignment's meaning, axes in its order."""
        if isinstance(value, Sublayer):
            return value.node()
        array = np.asarray(value)
        if array.dtype.kind == "b":
            array = self._mask(value, dtype)
        elif array.dtype.kind == "f":
            array = array.astype("float64" if self.backend == "numpy" else dtype)
        if array.ndim > 1 and np.asarray(value).dtype.kind != "b":
            array = np.swapaxes(array, 0, 1) if self.sequence_first else array
        return self._array(np.ascontiguousarray(array), contiguous=contiguous)

    def _array(self, array: Array, *, contiguous: bool = True) -> Step:
        if self.backend == "numpy":
            return {"$": "array", "array": array, "contiguous": contiguous or array.ndim < 2}  # noqa: PLR2004 - one order
        return {"$": "tensor", "array": array, "grad": False, "contiguous": contiguous}

    def _mask(self, value: Array, dtype: str) -> Array:
        array = value.handed_over() if isinstance(value, Shaped) and value.axes else np.asarray(value)
        if self.mask == "lengths":
            return array
        if self.mask == "additive":
            hides = -np.inf if self.said.get("mask_hides") == "infinite" else -1e9
            return np.where(array, 0.0, hides).astype(dtype if dtype != "float16" else np.float32)
        array = ~array if self.mask == "block" else array
        return array.astype({"int": np.int64, "byte": np.uint8, "float": np.float32}.get(self.mask_type, np.bool_))


def of_torch(making: Making) -> bool:
    """Whether there is a module of torch to speak of: with gradients, registered parameters and types of numbers."""
    return making.backend == "torch"


def prepared(
    making: Making, values: Mapping[str, Any], *, lazy: Step | None = None, train: bool = False, **changes: Any
) -> Steps:
    """Construct, run once where parameters are lazy, fill in the weights, choose the mode."""
    steps = [making.construct(**changes), {"do": "mode", "on": "module", "train": False}]
    if lazy is not None:
        steps.append({**lazy, "quiet": True})
    steps.append({"do": "weights", "on": "module", "values": dict(values)})
    if train:
        steps.append({"do": "mode", "on": "module", "train": True})
    return tuple(steps)
