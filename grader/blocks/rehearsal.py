"""A module made of a block's own numpy in place of a submission: a dress rehearsal without torch and without a child.

The audit and the generated tests hand in a block, right or with one of its known mistakes, as if a student had written
it with torch's layers. Only code of this project runs here; a submission never does.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from grader.blocks.examine import Block
from grader.blocks.faults import Fault
from grader.blocks.parts import Knobs
from grader.blocks.programs import Sublayer
from grader.blocks.weights import Array, Roles
from grader.judge import Context
from grader.model import Interface, Outcome, Submission
from grader.sandbox.parent import Failure, Program, Reply
from grader.sandbox.wire import TensorValue

Step = Mapping[str, Any]
_TABLES = {"src_table", "tgt_table", "table.positions"}


def rehearse(
    block: Block, fault: Fault | None = None, interface: Interface | None = None, seed: int = 0
) -> tuple[Outcome, ...]:
    """Judge the block's own numpy, with the mistake's knobs turned, as a submission.

    ``interface`` is the assignment's; batches come first and masks mean that a query may attend, whatever it says.
    """
    submission = Submission("rehearsal", "rehearsal.py", sha256="rehearsal")
    given = interface or Interface(block.name, block.target)
    plain = {name: setting for name, setting in given.conventions.items() if name not in {"mask", "batch"}}
    context = Context(replace(given, conventions=plain), submission, seed, given.callable, "rehearsal")
    rounds = block.examine(context)
    knobs = fault.knobs if fault is not None else {}
    try:
        programs = next(rounds)
        while True:
            programs = rounds.send([_answer(program, block, context.interface, knobs) for program in programs])
    except StopIteration as end:
        outcomes: tuple[Outcome, ...] = end.value
        return outcomes


def _answer(program: Program, block: Block, interface: Interface, knobs: Knobs) -> Reply:
    module = _Module(block, interface, knobs)
    values: list[Any] = []
    for number, step in enumerate(program.steps):
        try:
            with np.errstate(all="ignore"):
                values.append(module.run(step))
        except Exception as error:  # noqa: BLE001 - a mistake may raise whatever the mistaken code raises
            kinds = tuple(kind.__name__ for kind in type(error).__mro__)
            return Reply(
                "error",
                tuple(values),
                Failure(type(error).__name__, str(error), (("rehearsal.py", 1, "forward"),), number, kinds),
            )
    return Reply("value", tuple(values), None)


@dataclass(slots=True)
class _Module:
    """What one program sees: a module with a parameter for each role that its computation reads."""

    block: Block
    interface: Interface
    knobs: Knobs
    arrays: dict[str, Array] = field(default_factory=dict)
    stored: dict[str, Any] = field(default_factory=dict)
    train: bool = False
    rate: float = 0.0
    eps: float | None = None

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of the roles; heads that are not concatenated leave the output projection a narrower input."""
        sizes, narrow = self.block.sizes, self.knobs.get("mha.merge") in {"sum", "mean", "max", "first", "last"}
        return {
            role: (sizes.d_k, sizes.d_model) if narrow and role.endswith("w_o") else shape
            for role, shape in self.block.shapes(sizes).items()
        }

    def run(self, step: Step) -> Any:
        """Answer one step."""
        return getattr(self, f"_{step['do']}")(step)

    def _construct(self, step: Step) -> None:
        names = tuple(self.interface.conventions.get("constructor", ())) or self.block.constructor
        given = {**dict(zip(names, step.get("args", ()), strict=False)), **step.get("kwargs", {})}
        if "num_heads" in given and given["d_model"] % given["num_heads"]:
            raise ValueError("num_heads does not divide d_model")
        self.rate, self.eps = given.get("dropout", 0.0), given.get("eps")

    def _mode(self, step: Step) -> None:
        self.train = step["train"]

    def _seed(self, _: Step) -> None:
        """There is no randomness to seed."""

    def _move(self, _: Step) -> None:
        """Everything runs in float64 and on no device."""

    def _let(self, step: Step) -> None:
        self.stored[step["as"]] = step["value"]["array"].copy()

    def _get(self, step: Step) -> Any:
        return _tensor(self.stored[step["name"]])

    def _weights(self, step: Step) -> None:
        for name, array in step["values"].items():
            role = _role(name)
            self.arrays[role] = (
                array.T if name.endswith("weight") and role not in _TABLES and array.ndim > 1 else array
            ).astype(np.float64)

    def _inputs(self, step: Step) -> dict[str, Any]:
        given: dict[str, Any] = {}
        for name, node in zip(self.interface.parameters or self.block.parameters, step.get("args", ()), strict=False):
            kind = node["$"] if isinstance(node, dict) else ""
            if kind == "sublayer":
                given[name] = Sublayer(node["weight"], node["bias"])
            else:
                given[name] = self.stored[node["name"]] if kind == "ref" else node["array"] if kind else node
        return given

    def _compute(self, inputs: Mapping[str, Any]) -> Array:
        more = {} if self.eps is None else {"eps": self.eps}
        given = {
            name: value.astype(np.float64) if isinstance(value, np.ndarray) and value.dtype.kind == "f" else value
            for name, value in inputs.items()
        }
        if not self.arrays:
            self.arrays = {role: np.zeros(shape) for role, shape in self.shapes().items()}
        return np.asarray(self.block.compute(Roles(self.arrays), given | more, self.block.sizes, self.knobs))

    def _call(self, step: Step) -> Any:
        value = self._compute(self._inputs(step))
        if self.train and self.rate:  # noise of mean 0 stands in for dropout
            value = value + 1e-3 * np.random.default_rng(value.size).normal(size=value.shape)
        if step.get("as"):
            self.stored[step["as"]] = self._inputs(step)
        return None if step.get("quiet") else _tensor(value)

    def _trace(self, step: Step) -> dict[str, Any]:
        inputs = self._inputs(step["call"])
        value = self._compute(inputs)
        uses = [[_name(role), _function(role)] for role in self.roles(inputs)]
        return {"value": _tensor(value), "uses": uses, "leaves": []}

    def roles(self, inputs: Mapping[str, Any]) -> list[str]:
        """The roles that the computation reads, in order."""
        log: list[str] = []
        zeros = {role: np.zeros(shape) for role, shape in self.shapes().items()}
        roles = Roles(zeros, log=log)
        with contextlib.suppress(ValueError, IndexError, KeyError):  # it stumbles again when it is called in earnest
            self.block.compute(roles, inputs, self.block.sizes, self.knobs)
        return [role for role in log if role in zeros]

    def _inventory(self, _: Step) -> dict[str, Any]:
        inputs = self.block.cases(np.random.default_rng(0), self.block.sizes)[0].inputs
        shapes = self.shapes()
        rows = [_row(role, shapes[role]) for role in dict.fromkeys(self.roles(inputs))]
        return {
            "parameters": rows,
            "hidden": [],
            "buffers": [],
            "loose": [],
            "unregistered": [],
            "modules": [],
            "repeated": [],
        }

    def _gradient(self, step: Step) -> dict[str, Any]:
        inputs = self.stored[step["of"]]
        rng = np.random.default_rng(1)
        if self.block.name == "weight_tying":
            return {"parameters": {"tied.weight": self._tied(inputs, step["seed_array"])}, "inputs": {}}
        return {"parameters": {_name(role): rng.normal(size=2) for role in self.roles(inputs)}, "inputs": {}}

    def _tied(self, inputs: Mapping[str, Any], seed: Array) -> Array:
        """Gradient of the one table by both of its uses."""
        table, ids = self.arrays["tgt_table"], inputs["ids"]
        found = np.einsum("bnv,bnd->vd", seed, table[ids])
        np.add.at(found, ids, seed @ table)
        return np.asarray(found)


def _role(name: str) -> str:
    owner, _, leaf = name.rpartition(".")
    if leaf in {"gain", "shift"} or name in _TABLES:
        return name
    path, _, last = owner.rpartition(".")
    part = last if leaf == "weight" else last.replace("w", "b", 1)
    return f"{path}.{part}" if path else part


def _name(role: str) -> str:
    """The name that torch's layers would give a role: ``self_attention.w_q.weight``."""
    path, _, leaf = role.rpartition(".")
    if leaf in {"gain", "shift"} or role in _TABLES:
        return role
    joined = f"{path}." if path else ""
    return f"{joined}{leaf}.weight" if leaf.startswith("w") else f"{joined}{leaf.replace('b', 'w', 1)}.bias"


def _row(role: str, shape: tuple[int, ...]) -> dict[str, Any]:
    name = _name(role)
    leaf = name.rpartition(".")[2]
    stored = shape[::-1] if leaf == "weight" and role not in _TABLES else shape
    owner = "LayerNorm" if leaf in {"gain", "shift"} else "Embedding" if role in _TABLES else "Linear"
    return {
        "name": name,
        "shape": list(stored),
        "dtype": "float32",
        "requires_grad": True,
        "owner_class": owner,
        "same_as": None,
    }


def _function(role: str) -> str:
    leaf = role.rpartition(".")[2]
    return {"gain": "mul", "shift": "add"}.get(leaf, "embedding" if role in _TABLES else "linear")


def _tensor(array: Any) -> TensorValue:
    value = np.asarray(array)
    return TensorValue(value.astype(np.float32) if value.dtype.kind == "f" else value, "cpu", requires_grad=False)


def mistakes(block: Block) -> tuple[Fault, ...]:
    """The mistakes of a block, its parts' included, that knobs can make."""
    return tuple(fault for fault in block.faults if fault.knobs)
