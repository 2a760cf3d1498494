"""The steps of a program: what student code is asked to do, as plain dicts (numpy part; torch_steps has the rest).

Every step's value is encoded at once, so that a later change of the same array in place cannot alter it.
"""

import contextlib
import functools
import hashlib
import random
import sys
import types
import warnings
from collections.abc import Callable
from typing import Any, Protocol

from . import adapters, binding, lessons, numpy_steps, standin, torch_steps
from .failures import Missing
from .gates import Gates

Step = dict[str, Any]


class Names(Protocol):
    """What steps are asked of: things under their names."""

    def find(self, target: str) -> Any:
        """Return what is called ``target``. Raises KeyError."""

    def put(self, target: str, value: Any) -> None:
        """Give what is called ``target`` another value, wherever it has one."""


class Table:
    """The values stored by one program, and the submission that its steps speak to."""

    def __init__(self, submission: Names, gates: Gates) -> None:
        self.submission, self.gates = submission, gates
        self.stored: dict[str, Any] = {}
        self.of: Any = torch_steps  # what speaks to the objects of this program
        self.adapter: Any = None  # what builds and calls them, where the assignment has its own lines for that
        self.beside: dict[str, Any] = {}  # what these lines may ask for as they call them

    def target(self, name: str) -> Any:
        """Return the student's object of that name. Raises Missing."""
        try:
            return self.submission.find(name)
        except KeyError:
            raise Missing(f"{name} is not defined") from None

    def work(self) -> adapters.Work:
        """Return the submission as an adapter's lines see it."""
        return adapters.Work(self.target, self.submission.put)

    def build(self, node: Any) -> Any:
        """Return the argument that a plain value or a ``{"$": kind, ...}`` node stands for."""
        if type(node) is list:
            return [self.build(item) for item in node]
        if type(node) is tuple:
            return tuple(self.build(item) for item in node)
        if type(node) is not dict:
            return node
        kind = node.get("$")
        if kind is None:
            return {key: self.build(item) for key, item in node.items()}
        return _NODES[kind](node) if kind in _NODES else self._of_table(kind, node)

    def _of_table(self, kind: str, node: Any) -> Any:
        """What was stored before, or a config object.

        It is of the submission's own class where one is named that can be made of these fields, and of ours otherwise:
        the fields are what the hand-out promises.
        """
        if kind == "ref":
            return self.stored[node["name"]][node["at"]] if "at" in node else self.stored[node["name"]]
        fields = self.build(node["fields"])
        if node["class"]:
            with contextlib.suppress(Missing, TypeError):
                return self.target(node["class"])(**fields)
        return Config(**fields)


def run(step: Step, table: Table) -> Any:
    """Run one step and return its value, None where it reports nothing."""
    value = _STEPS[step["do"]](step, table)
    if type(value) is standin.Inert:
        standin.refuse(value)
    return value


def _construct(step: Step, table: Table) -> None:
    kind = None if "adapter" in step else table.target(step["target"])
    if step.get("seed") is not None:
        seed_all(step["seed"])
    if kind is not None:
        args, kwargs = _arguments(step, table, kind)
        made = kind(*args, **kwargs)
    else:
        table.adapter = adapters.adapter(step["adapter"], table.target)
        table.beside = {"work": table.work(), "sizes": types.SimpleNamespace(**table.build(step["sizes"]))}
        made = table.adapter.build(*table.beside.values())
    if step.get("numpy"):
        table.of = numpy_steps
    elif hasattr(sys.modules.get("torch"), "nn"):
        torch_steps.plain_parameters(made)
    table.stored[step["as"]] = made


def _call(step: Step, table: Table) -> Any:
    function: Any
    if "adapter" in step:
        adapter = adapters.adapter(step["adapter"], table.target)
        function = functools.partial(getattr(adapter, step.get("method", "call")), table.work())
    elif "on" in step and table.adapter is not None and not step.get("method"):
        function = adapters.call_of(table.adapter, table.stored[step["on"]], table.beside)
    elif "on" in step:
        function = table.stored[step["on"]]
        if step.get("method"):
            function = getattr(function, step["method"])
        elif table.of is numpy_steps:
            function = numpy_steps.called(function)
    else:
        function = binding.instance(table.target(step["target"]))
    calls = [_arguments(each, table, function) for each in step.get("each", [step])]
    with _gradients(bool(step.get("grad"))):
        values = [function(*args, **kwargs) for args, kwargs in calls]
    value = _stacked(values) if "each" in step else values[0]
    if step.get("as"):
        table.stored[step["as"]] = value
    return None if step.get("quiet") else value


def _stacked(values: list[Any]) -> Any:
    """The answers of several calls as one, with an axis in front; tuples place by place."""
    if isinstance(values[0], tuple):
        return tuple(map(_stacked, map(list, zip(*values, strict=True))))
    library: Any = sys.modules.get(type(values[0]).__module__.partition(".")[0])
    return library.stack(values) if hasattr(library, "stack") else values


def _arguments(step: Step, table: Table, function: Any) -> tuple[list[Any], dict[str, Any]]:
    args, kwargs = table.build(step.get("args", [])), table.build(step.get("kwargs", {}))
    if "fit" in step:
        return binding.fit(function, kwargs, step["fit"])
    return binding.named(function, kwargs, step["named"]) if "named" in step else (args, kwargs)


def _gradients(wanted: bool) -> contextlib.AbstractContextManager[Any]:
    torch: Any = sys.modules.get("torch")
    if not hasattr(torch, "no_grad"):
        return contextlib.nullcontext()
    return torch.enable_grad() if wanted else torch.no_grad()  # type: ignore[no-any-return]


def settle() -> None:
    """Take back what a file set for its whole session as it was loaded: a caller would have a session of its own."""
    warnings.resetwarnings()
    warnings.simplefilter("ignore")
    if "numpy" in sys.modules:
        sys.modules["numpy"].seterr(all="warn", under="ignore")
    if hasattr(sys.modules.get("torch"), "set_default_dtype"):
        torch_steps.settle()


def seed_all(seed: int) -> None:
    """Seed the global generators of random, numpy and, where it is loaded, torch."""
    random.seed(seed)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(seed % 2**32)
    # torch.manual_seed would note where it was called for every kind of device, which takes longer than most calls.
    generator: Any = getattr(sys.modules.get("torch"), "default_generator", None)
    if hasattr(generator, "manual_seed"):
        generator.manual_seed(seed)


def _random_state(step: Step, table: Table) -> str:
    digest = hashlib.sha256(str(hash(random.getstate())).encode())
    if "numpy" in sys.modules:
        name, keys, *rest = sys.modules["numpy"].random.get_state()
        digest.update(keys)
        digest.update(repr((name, rest)).encode())
    if hasattr(sys.modules.get("torch"), "get_rng_state"):
        state = sys.modules["torch"].get_rng_state().numpy().tobytes()
        if isinstance(state, bytes):  # what stands in for a torch that is not there has none
            digest.update(state)
    return digest.hexdigest()


def _gradient(step: Step, table: Table) -> Any:
    inputs = {name: table.stored[name] for name in step.get("inputs", [])}
    module = table.stored[step["on"]] if step.get("on") else None
    return torch_steps.gradient(table.stored[step["of"]], module, inputs, step.get("seed_array"))


def _move(step: Step, table: Table) -> None:
    value, dtype = table.stored[step["on"]], step.get("dtype")
    plain = table.of is numpy_steps
    table.stored[step["on"]] = (
        numpy_steps.move(value, dtype) if plain else torch_steps.move(value, dtype, step.get("device"))
    )


_STEPS: dict[str, Callable[[Step, Table], Any]] = {
    "let": lambda step, table: table.stored.update({step["as"]: table.build(step["value"])}),
    "get": lambda step, table: table.stored[step["name"]],
    "construct": _construct,
    "call": _call,
    "seed": lambda step, _: seed_all(step["value"]),
    "random_state": _random_state,
    "mode": lambda step, table: table.of.mode(
        table.stored[step["on"]], step["train"], **({"hidden": True} if step.get("hidden") else {})
    ),
    "inventory": lambda step, table: table.of.inventory(table.stored[step["on"]]),
    "weights": lambda step, table: table.of.weights(table.stored[step["on"]], step["values"]),
    "trace": lambda step, table: table.of.trace(table.stored[step["on"]], lambda: _call(step["call"], table)),
    "spoil": lambda step, table: table.gates.spoil(step["names"], step["size"]),
    "gradient": _gradient,
    "move": _move,
    "train_copy": lambda step, table: lessons.train_copy(table.stored[step["on"]], step),
    "copy_scores": lambda step, table: lessons.copy_scores(table.stored[step["on"]], step),
    "decode_copies": lambda step, table: lessons.decode_copies(table.stored[step["on"]], step),
}


class Config(dict[str, Any]):
    """A config object: its fields are attributes and items alike."""

    def __getattr__(self, name: str) -> Any:
        """Return a field. Raises AttributeError with the fields that there are."""
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"the config has no {name!r}: it has {', '.join(self)}") from None

    def __setattr__(self, name: str, value: Any) -> None:
        """Set a field."""
        self[name] = value


class StepFunction:
    """A model for decoding: log-probabilities looked up by the whole prefix, else by its last token."""

    def __init__(self, node: Step) -> None:
        self._rows, self._last, self._default = node.get("rows", {}), node.get("last", {}), node["default"]

    def __call__(self, prefix: Any) -> Any:
        """Return a fresh float64 array of log-probabilities, ``(vocab,)``."""
        import numpy as np

        tokens = [int(token) for token in np.asarray(prefix).reshape(-1)]
        row = self._rows.get(",".join(map(str, tokens)))
        if row is None:
            row = self._last.get(str(tokens[-1]) if tokens else "", self._default)
        return np.array(row, dtype=np.float64)


def _generator(node: Step) -> Any:
    import numpy as np

    return np.random.default_rng(node["seed"])


_NODES: dict[str, Callable[[Step], Any]] = {
    "rng": _generator,
    "step_fn": StepFunction,
    "tensor": torch_steps.tensor,
    "array": numpy_steps.array,
    "sublayer": torch_steps.sublayer,
}
