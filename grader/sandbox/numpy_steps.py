"""The steps that speak to objects whose weights are numpy arrays: inventory, weights, trace, type of the numbers.

They may be tensors as well, in a class that is no module of torch.
"""

import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from . import torch_steps

Node = dict[str, Any]
_DEPTH = 8
"""A model holds stacks of layers of parts of maps of weights."""


def array(node: Node) -> Any:
    """Return a fresh array; with ``contiguous`` false its memory lies in another order than its axes."""
    import numpy as np

    made = np.array(node["array"])
    return np.swapaxes(np.swapaxes(made, -1, -2).copy(), -1, -2) if node.get("contiguous") is False else made


def mode(thing: Any, train: bool) -> None:
    """Say whether it trains, where the object has a way to be told."""
    switch = getattr(thing, "train" if train else "eval", None)
    if callable(switch):
        switch()
    elif hasattr(thing, "training"):
        thing.training = train


def called(thing: Any) -> Any:
    """What is called: the object itself, or its ``forward``."""
    return thing if callable(thing) else thing.forward


def _parts(
    thing: Any, path: str, seen: set[int], depth: int = 0, place: Callable[[Any], None] | None = None
) -> Iterator[tuple[str, Any, Any, Any]]:
    """Yield (path, owner, how to set it, array) of what lies in attributes, lists, tuples and dicts, as it was made.

    ``place`` puts another thing in the place of ``thing``, which a tuple needs: it is made anew for each change.
    """
    if depth > _DEPTH or id(thing) in seen:
        return
    seen.add(id(thing))
    entries: list[tuple[str, Any, Any, Any]]
    if isinstance(thing, dict):
        entries = [(f"{path}[{key!r}]", key, value, thing.__setitem__) for key, value in thing.items()]
    elif isinstance(thing, list):
        entries = [(f"{path}[{key}]", key, value, thing.__setitem__) for key, value in enumerate(thing)]
    elif isinstance(thing, tuple):
        put = _anew(thing, place)
        entries = [(f"{path}[{key}]", key, value, put) for key, value in enumerate(thing)]
    else:
        held = vars(thing) if _own(thing) else {}
        entries = [(f"{path}.{key}" if path else key, key, value, _setter(thing)) for key, value in list(held.items())]
    for name, key, value, put in entries:
        if _is_array(value):
            yield name, type(thing).__name__, (put, key), value
        elif inner := _held(value):
            yield name, type(thing).__name__, (_setter(value), inner), getattr(value, inner)
        else:
            yield from _parts(value, name, seen, depth + 1, partial(put, key) if put is not None else None)


def _anew(thing: tuple[Any, ...], place: Callable[[Any], None] | None) -> Callable[[int, Any], None] | None:
    """How to set an item of a tuple: by another tuple in its place; None where it has none that can be set."""
    if place is None:
        return None
    now, make = list(thing), getattr(thing, "_make", tuple)

    def put(key: int, value: Any) -> None:
        now[key] = value
        place(make(now))

    return put


def _held(thing: Any) -> str:
    """The attribute of an object that does nothing but hold one array, beside that array's gradient; or empty."""
    if not _own(thing) or callable(thing) or callable(getattr(thing, "forward", None)):
        return ""
    held = [name for name, value in vars(thing).items() if _is_array(value) and "grad" not in name]
    return held[0] if len(held) == 1 else ""


def _is_array(value: Any) -> bool:
    import numpy as np

    return isinstance(value, np.ndarray) or _is_tensor(value)


def _is_tensor(value: Any) -> bool:
    kind = getattr(sys.modules.get("torch"), "Tensor", None)
    return isinstance(kind, type) and isinstance(value, kind)


def _floats(value: Any) -> int:
    """How many floating numbers an array holds."""
    if _is_tensor(value):
        return int(value.numel()) if value.is_floating_point() else 0
    return int(value.size) if value.dtype.kind == "f" else 0


def _setter(thing: Any) -> Callable[[str, Any], None]:
    return lambda key, value: setattr(thing, key, value)


def _own(thing: Any) -> bool:
    """Whether a value is an object of the submission's own class, or a layer of torch."""
    home = type(thing).__module__
    known = (*sys.stdlib_module_names, "numpy", "scipy", "torch")
    own = home.partition(".")[0] not in known or home.startswith("torch.nn.modules")
    return not isinstance(thing, type) and hasattr(thing, "__dict__") and own


def _weights(thing: Any) -> Iterator[tuple[str, str, Any, Any]]:
    """The arrays of floating numbers that an object holds, each once."""
    known: set[int] = set()
    for name, owner, put, value in _parts(thing, "", set()):
        if _floats(value) and id(value) not in known:
            known.add(id(value))
            yield name, owner, put, value


def inventory(thing: Any) -> dict[str, Any]:
    """Return what an object holds, in the form in which torch_steps tells of a module."""
    rows = [
        {
            "name": name,
            "shape": list(value.shape),
            "requires_grad": True,
            "owner_class": owner,
            "same_as": None,
            "apart": False,
        }
        for name, owner, _, value in _weights(thing)
    ]
    empty: dict[str, Any] = {key: [] for key in ("hidden", "loose", "unlearned", "unregistered", "repeated")}
    return {"parameters": rows, **empty}


def weights(thing: Any, values: dict[str, Any]) -> None:
    """Put arrays in the place of those of these names. Raises KeyError for an unknown name."""
    held = {name: (put, value) for name, _, put, value in _weights(thing)}
    for name, new in values.items():
        if name not in held:
            raise KeyError(f"no array is called {name}")
        (put, key), old = held[name]
        if _is_tensor(old):
            torch_steps.copied(old, new)
        elif old.flags.writeable:
            old[...] = new
        elif put is not None:
            put(key, new.astype(old.dtype))


def move(thing: Any, dtype: str | None) -> Any:
    """Return the object with its arrays in another type."""
    for _, _, (put, key), value in list(_weights(thing)):
        if put is not None and dtype:
            put(key, torch_steps.move(value, dtype, None) if _is_tensor(value) else value.astype(dtype))
    return thing


def trace(thing: Any, call: Callable[[], Any]) -> dict[str, Any]:
    """Run ``call`` and return its value and which array entered which function, in order."""
    uses: list[list[str]] = []
    before = list(_weights(thing))
    if tensors := {name: value for name, *_, value in before if _is_tensor(value)}:
        return torch_steps.traced(tensors, call)
    kind = _traced(uses)
    for name, _, (put, key), value in before:
        if put is not None:
            watched = value.view(kind)
            watched.name = name
            put(key, watched)
    try:
        value = _plain(call())
    finally:
        for _, _, (put, key), held in before:
            if put is not None:
                put(key, held)
    return {"value": value, "uses": uses}


def _plain(value: Any) -> Any:
    """A value with ordinary arrays in it."""
    import numpy as np

    if isinstance(value, list | tuple):
        return type(value)(_plain(item) for item in value) if type(value) in (list, tuple) else value
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return np.asarray(value) if isinstance(value, np.ndarray) else value


def _traced(uses: list[list[str]]) -> Any:
    """Return a class of arrays that note the functions they enter; views of an array keep its name."""
    import numpy as np

    class Traced(np.ndarray[Any, Any]):
        name = ""

        def __array_finalize__(self, other: Any) -> None:
            self.name = getattr(other, "name", "")

        def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
            uses.extend([item.name, ufunc.__name__] for item in inputs if type(item) is Traced)
            if "out" in kwargs:
                kwargs["out"] = tuple(_plain(item) for item in kwargs["out"])
            return getattr(ufunc, method)(*[_plain(item) for item in inputs], **kwargs)

        def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
            given = [item for item in _flat([args, kwargs]) if type(item) is Traced]
            value = func(*_plain(args), **_plain(kwargs))
            made = [item for item in _flat(value) if isinstance(item, np.ndarray)]
            if made and given and all(np.may_share_memory(item, given[0]) for item in made):
                return _named(value, given[0].name)
            uses.extend([item.name, func.__name__] for item in given)
            return value

        def __getitem__(self, key: Any) -> Any:
            found = super().__getitem__(key)
            if isinstance(found, np.ndarray) and not np.may_share_memory(np.asarray(found), np.asarray(self)):
                uses.append([self.name, "embedding"])
                return np.asarray(found)
            return found

    def _named(value: Any, name: str) -> Any:
        if isinstance(value, list | tuple):
            return [_named(item, name) for item in value]
        watched = value.view(Traced)
        watched.name = name
        return watched

    return Traced


def _flat(value: Any) -> list[Any]:
    if isinstance(value, list | tuple):
        return [found for item in value for found in _flat(item)]
    return [found for item in value.values() for found in _flat(item)] if isinstance(value, dict) else [value]
