"""The assignment's own lines that build and call what is handed in, run beside it; they know no answers."""

import functools
from collections.abc import Callable, Mapping
from typing import Any

from .loading import run_chunk

FILE = "adapter.py"


_KNOWN: dict[str, dict[str, Any]] = {}
"""What the lines define, by their text: they run once in a process."""


class Work:
    """What was handed in: its names are attributes, and what its files know as constants can be set."""

    __slots__ = ("_put", "_target")

    def __init__(self, target: Callable[[str], Any], put: Callable[[str, Any], None]) -> None:
        object.__setattr__(self, "_target", target)
        object.__setattr__(self, "_put", put)

    def __getattr__(self, name: str) -> Any:
        """Return what the submission calls ``name``. Raises Missing where it defines no such thing."""
        return self._target(name)

    def __setattr__(self, name: str, value: Any) -> None:
        """Give a constant of the submission another value, or one at all where it is set in a script alone."""
        self._put(name, value)


def call_of(adapter: Any, thing: Any, beside: Mapping[str, Any]) -> Callable[..., Any]:
    """Return what calls ``thing``, given of what stands ``beside`` it (``work``, ``sizes``) what its lines ask for."""
    call = adapter.call
    code = getattr(call, "__code__", None)
    asked = () if code is None else code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return functools.partial(call, thing, **{name: value for name, value in beside.items() if name in asked})


def adapter(node: dict[str, Any], target: Callable[[str], Any]) -> Any:
    """Return the class of a component's name, from the lines sent, or from the submission where there are none.

    Raises Missing where the submission has none.
    """
    if not node["source"]:
        return target(node["component"])
    if node["source"] not in _KNOWN:
        space: dict[str, Any] = {"__name__": "adapter"}
        run_chunk(node["source"], FILE, space)
        _KNOWN[node["source"]] = space
    return _KNOWN[node["source"]][node["component"]]
