"""A module made of a block's own numpy in place of a submission: a dress rehearsal without torch and without a child.

The audit and the generated tests hand in a block, right or with one of its known mistakes, as if a student had written
it with torch's layers. Only code of this project runs here; a submission never does.
"""

import contextlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeVar

import numpy as np

from grader.auditing.rehearsal import driven, replied, rounds_of
from grader.blocks.examine import Block
from grader.blocks.programs import CONFIG, Making, Sublayer
from grader.component.checks import Misconception
from grader.model.assignment import Argument, Interface
from grader.model.outcome import Outcome
from grader.paper.heads import OF_ONE_HEAD
from grader.paper.sublayers import Knobs
from grader.paper.weights import Array, Roles
from grader.sandbox.wire import TensorValue

Step = Mapping[str, Any]
Kind = TypeVar("Kind")
_TABLES = {"src_table", "tgt_table", "table.positions"}
_TRAINED = "rows"
"""What a module calls the table that it should only have computed."""


def rehearse(
    block: Block, fault: Misconception | None = None, interface: Interface | None = None, seed: int = 0
) -> tuple[Outcome, ...]:
    """Judge the block's own numpy, with the mistake's knobs turned, as a submission.

    ``interface`` is the assignment's; batches come first and masks mean that a query may attend, whatever it says.
    """
    given = interface or Interface(block.name, block.target)
    ours = _alike(_OurBlock, block).under(given)
    making = ours.making(given, given.callable)
    knobs = {**ours.right, **(fault.knobs if fault is not None else {})}
    return driven(rounds_of(ours, given, seed), lambda program: replied(program, _Module(ours, making, knobs).run))


class _OurMaking(Making):
    """How our module is made and called: as the hand-out has it, in our own names, and masks as the paper has them."""

    def _mask(self, value: Array, dtype: str) -> Array:  # noqa: ARG002 - one signature for all
        return np.asarray(value)


class _OurBlock(Block):
    """A block whose checks ask our module: what is asked is the assignment's, its names and forms are ours."""

    def making(self, interface: Interface, target: str) -> Making:
        made = Block.making(self, interface, target)
        taken = [one.value for one in (*made.constructor, *made.config) if not one.constant and one.value != CONFIG]
        return _alike(
            _OurMaking,
            made,
            constructor=tuple(map(Argument, dict.fromkeys(taken))),
            arguments=tuple(map(Argument, made.parameters)),
            built_by_name=False,
            called_by_name=False,
            config=(),
            batch="first",
        )


def _alike(kind: type[Kind], one: Any, **changes: Any) -> Kind:
    """What ``one`` is, as another class with the same fields."""
    return kind(**{field.name: getattr(one, field.name) for field in fields(one)} | changes)


@dataclass(slots=True)
class _Module:
    """What one program sees: a module with a parameter for each role that its computation reads."""

    block: Block
    making: Making
    knobs: Knobs
    arrays: dict[str, Array] = field(default_factory=dict)
    stored: dict[str, Any] = field(default_factory=dict)
    train: bool = False
    rate: float = 0.0
    eps: float | None = None
    calls: int = 0
    dtype: str = "float32"

    @property
    def manner(self) -> str:
        """What the module does wrong beside its computation."""
        return str(self.knobs.get("manner", ""))

    def named(self, role: str) -> str:
        """The parameter that fills a role: layers that are one object have one set of names."""
        alike = self.manner == "shares its layers"
        return _name(re.sub(r"layer_\d+", "layer_1", role) if alike else role)

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of the roles; a mistake with the heads may need narrower matrices."""
        sizes = self.making.sizes
        shapes = dict(self.block.shapes(sizes))
        if self.knobs.get("mha.merge") in OF_ONE_HEAD:
            shapes |= {role: (sizes.d_k, sizes.d_model) for role in shapes if role.endswith("w_o")}
        if self.knobs.get("mha.one_for_all"):
            shapes |= {role: (sizes.d_k, sizes.d_k) for role in shapes if role.endswith(("w_q", "w_k", "w_v"))}
            shapes |= {role: (sizes.d_k,) for role in shapes if role.endswith(("b_q", "b_k", "b_v"))}
        return shapes

    def run(self, step: Step) -> Any:
        """Answer one step."""
        return getattr(self, f"_{step['do']}")(step)

    def _construct(self, step: Step) -> None:
        given = step["sizes" if "adapter" in step else "kwargs"]
        if "num_heads" in given and given.get("d_model", 0) % given["num_heads"]:
            raise ValueError("num_heads does not divide d_model")
        self.rate, self.eps = given.get("dropout", 0.0), given.get("eps")
        layers = given.get("num_layers", self.making.sizes.num_layers)
        self.making = replace(self.making, sizes=replace(self.making.sizes, num_layers=layers))

    def _mode(self, step: Step) -> None:
        self.train = step["train"]

    def _seed(self, _: Step) -> None:
        """There is no randomness to seed."""

    def _move(self, step: Step) -> None:
        """Everything runs in float64 and on no device."""
        self.dtype = step.get("dtype") or self.dtype

    def _let(self, step: Step) -> None:
        self.stored[step["as"]] = step["value"]["array"].copy()

    def _get(self, step: Step) -> Any:
        return _tensor(self.stored[step["name"]], "float64" if self.making.backend == "numpy" else "float32")

    def _weights(self, step: Step) -> None:
        given = step["values"]
        for role in self.shapes():
            name = self.named(role)
            if name in given:
                turned = name.endswith("weight") and role not in _TABLES and given[name].ndim > 1
                self.arrays[role] = (given[name].T if turned else given[name]).astype(np.float64)

    def _inputs(self, step: Step) -> dict[str, Any]:
        given: dict[str, Any] = {}
        for name, node in step.get("kwargs", dict(zip(self.making.parameters, step.get("args", ())))).items():  # noqa: B905 - the last may be left out
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
        arrays = self.arrays
        if self.manner == "forgets to scale survivors" and self.train:
            last = ("w_o", "b_o", "w_2", "b_2")  # what ends a sublayer
            arrays = {role: array * (1 - self.rate * role.endswith(last)) for role, array in arrays.items()}
        return np.asarray(self.block.compute(Roles(arrays), given | more, self.making.sizes, self.knobs))

    def _call(self, step: Step) -> Any:
        inputs = self._inputs(step)
        self._stumble(step)
        value = self._compute(inputs)
        self.calls += 1
        drops = self.train if self.manner != "drops in evaluation" else True
        if self.rate and drops and self.manner != "never drops":  # noise of mean 0 stands in for dropout
            value = value + 1e-3 * np.random.default_rng([value.size, self.calls]).normal(size=value.shape)
        if self.manner == "is random":
            value = value + np.random.default_rng([self.calls, len(self.stored)]).normal(size=value.shape)
        if self.manner == "writes into its argument":
            self._write(step)
        if step.get("as"):
            self.stored[step["as"]] = self._inputs(step)
        return None if step.get("quiet") else _tensor(value, self.dtype)

    def _stumble(self, step: Step) -> None:
        """Raise what torch raises where the module cannot take its input."""
        nodes = [node for node in step.get("args", ()) if isinstance(node, dict) and node["$"] == "tensor"]
        if self.manner == "views its input" and any(
            not node["contiguous"] and node["array"].ndim > 1 for node in nodes
        ):
            raise RuntimeError("view size is not compatible with input tensor's size and stride; use .reshape(...)")
        if self.manner == "keeps a constant in single precision" and self.dtype == "float64":
            raise RuntimeError("expected m1 and m2 to have the same dtype, but got: double != float")

    def _write(self, step: Step) -> None:
        for node in step.get("args", ()):
            if isinstance(node, dict) and node["$"] == "ref" and self.stored[node["name"]].dtype.kind in "fi":
                self.stored[node["name"]] += 1

    def _trace(self, step: Step) -> dict[str, Any]:
        inputs = self._inputs(step["call"])
        value = self._compute(inputs)
        uses = [[self.named(role), _function(role)] for role in self.roles(inputs)]
        uses += [[_TRAINED, "add"]] if self.manner == "trains its table" else []
        return {"value": _tensor(value), "uses": uses}

    def roles(self, inputs: Mapping[str, Any]) -> list[str]:
        """The roles that the computation reads, in order."""
        log: list[str] = []
        zeros = {role: np.zeros(shape) for role, shape in self.shapes().items()}
        roles = Roles(zeros, log=log)
        with contextlib.suppress(ValueError, IndexError, KeyError):  # it stumbles again when it is called in earnest
            self.block.compute(roles, inputs, self.making.sizes, self.knobs)
        return [role for role in log if role in zeros]

    def _inventory(self, _: Step) -> dict[str, Any]:
        inputs = self.block.cases(np.random.default_rng(0), self.making)[0].inputs
        shapes = self.shapes()
        named = {self.named(role): role for role in reversed(dict.fromkeys(self.roles(inputs)))}
        rows = [_row(name, role, shapes[role]) for name, role in reversed(named.items())]
        if self.manner == "trains its table":
            rows.append(_row(_TRAINED, _TRAINED, (self.making.sizes.max_len, self.making.sizes.d_model)))
        hidden = self.manner == "hides its weights"
        return {
            "parameters": [] if hidden else rows,
            "hidden": rows if hidden else [],
            "loose": [],
            "unregistered": ["layers"] if hidden else [],
            "repeated": [],
        }

    def _gradient(self, step: Step) -> dict[str, Any]:
        inputs = self.stored[step["of"]]
        rng = np.random.default_rng(1)
        if self.block.name == "weight_tying":
            return {"parameters": {"tied.weight": self._tied(inputs, step["seed_array"])}, "inputs": {}}
        cut = self.manner == "cuts the gradient"
        names = [self.named(role) for role in self.roles(inputs)]
        return {"parameters": {name: None if cut else rng.normal(size=2) for name in names}, "inputs": {}}

    def _tied(self, inputs: Mapping[str, Any], seed: Array) -> Array:
        """Gradient of the one table by both of its uses."""
        table, ids = self.arrays["tgt_table"], inputs["ids"]
        found = np.einsum("bnv,bnd->vd", seed, table[ids])
        np.add.at(found, ids, seed @ table)
        return np.asarray(found)


def _name(role: str) -> str:
    """The name that torch's layers would give a role: ``self_attention.w_q.weight``."""
    path, _, leaf = role.rpartition(".")
    if leaf in {"gain", "shift"} or role in _TABLES:
        return role
    joined = f"{path}." if path else ""
    return f"{joined}{leaf}.weight" if leaf.startswith("w") else f"{joined}{leaf.replace('b', 'w', 1)}.bias"


def _row(name: str, role: str, shape: tuple[int, ...]) -> dict[str, Any]:
    leaf = name.rpartition(".")[2]
    stored = shape[::-1] if leaf == "weight" and role not in _TABLES else shape
    owner = "LayerNorm" if leaf in {"gain", "shift"} else "Embedding" if role in _TABLES else "Linear"
    return {"name": name, "shape": list(stored), "requires_grad": True, "owner_class": owner, "same_as": None}


def _function(role: str) -> str:
    leaf = role.rpartition(".")[2]
    return {"gain": "mul", "shift": "add"}.get(leaf, "embedding" if role in _TABLES else "linear")


def _tensor(array: Any, dtype: str | None = "float32") -> TensorValue:
    value = np.asarray(array)
    kept = value.astype("float64" if dtype == "float64" else "float32") if value.dtype.kind == "f" else value
    return TensorValue(kept, "cpu", requires_grad=False)


def mistakes(block: Block) -> tuple[Misconception, ...]:
    """The mistakes of a block, its parts' included, that knobs can make."""
    return tuple(fault for fault in block.faults if fault.knobs)
