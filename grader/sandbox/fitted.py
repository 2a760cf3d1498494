"""What makes stand-ins fit a hand-out: this file is sent to the child as text, and runs there alone.

``told`` is what a stand-in has to know of the hand-out: see ``grader.assessing.stand_ins``, which adds to ``PARTS``.
"""

import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any

PARTS: dict[str, Callable[[Any], Any]] = {}
"""By the student's name of a part, what makes ours of it; what stands there already is given to it."""
SHOWN = -1e4
"""What is added to a score hides its key below that."""
PAIRS = False
"""Whether a module returns its weights beside the output."""


def fitted(
    told: Sequence[tuple[str, str]], args: Sequence[Any], kwargs: Mapping[str, Any], *, loose: bool
) -> tuple[list[Any], dict[str, Any], dict[str, Any]]:
    """Arguments by our names, of (the hand-out's name, ours or none where it is a constant); what is left over.

    Of a constructor, a dropout or bias that it does not have is let go.
    """
    names = [name for name, _ in told]
    given, rest = dict(zip(names, args, strict=False)), list(args[len(names) :])
    unknown: dict[str, Any] = {}
    for name, value in kwargs.items():
        (given if name in names and name not in given else unknown)[name] = value
    if loose:
        rest = [value for value in rest if not (value is None or isinstance(value, (bool, float)))]
        unknown = {name: value for name, value in unknown.items() if "drop" not in name and "bias" not in name}
    free = [name for name in names if name not in given]
    for name, place in zip(list(unknown), free, strict=False):
        given[place] = unknown.pop(name)
    return rest, {ours: given[name] for name, ours in told if ours and name in given}, unknown


def allowed(mask: Any, meaning: str, keys: Any = None) -> Any:
    """A mask in which True may attend, of one that means what the hand-out says; as it is where that is ours.

    Lengths are told of ``keys``, (batch, keys, d_model).
    """
    if mask is None or not meaning:
        return mask
    if meaning == "lengths":
        m = keys.shape[1]
        return triangle_like(keys, m, m).sum(-1) <= (mask[:, None, None] if mask.ndim == 1 else mask[..., None])
    if meaning == "additive":
        return mask > SHOWN
    return mask == 0 if meaning == "block" else mask != 0


def meant(mask: Any, meaning: str, hides: float | str) -> Any:
    """A mask of numpy as the hand-out means them, of one in which True may attend; ``hides`` is what is added."""
    if meaning == "additive":
        import numpy as np

        return np.where(mask, 0.0, float(hides))
    return ~mask if meaning == "block" else mask


_INWARD: dict[str, Callable[[Any], Any]] = {"second": lambda x: x.swapaxes(0, 1), "none": lambda x: x[None]}
_OUTWARD: dict[str, Callable[[Any], Any]] = {"second": lambda x: x.swapaxes(0, 1), "none": lambda x: x[0]}
"""How the hand-out's arrays get the batch as their first axis, and lose it again, where it is another or none."""


def moved(value: Any, how: Callable[[Any], Any] | None) -> Any:
    """An array with its axes moved; anything else as it is."""
    return how(value) if how is not None and hasattr(value, "swapaxes") else value


def standing(kind: Any, name: str, told: Mapping[str, Any]) -> type:
    """Our class, made and called as the hand-out says."""

    def made(self: Any, *args: Any, **kwargs: Any) -> None:
        rest, given, unknown = fitted(told["made"], args, kwargs, loose=True)
        config = given.pop("config", None)
        for field, ours in told["config"]:
            given[ours] = config[field] if isinstance(config, dict) else getattr(config, field)
        ours = {size: given.get(size, told["sizes"].get(size)) for size in told["takes"]}
        ours = {size: value for size, value in ours.items() if value is not None}
        kind.__init__(self, *rest, **ours, **told["settled"], **unknown)
        self.dropout_rate = 0.0 if "dropout" in told["takes"] else given.get("dropout", 0.0)

    def forward(self: Any, *args: Any, **kwargs: Any) -> Any:
        rest, given, unknown = fitted(told["called"], args, kwargs, loose=False)
        given = {
            one: value if "mask" in one else moved(value, _INWARD.get(told["batch"])) for one, value in given.items()
        }
        keys = next((given[one] for one in ("key", "query", "x") if one in given), None)
        cross = given.get("memory", keys)
        for one in [one for one in given if "mask" in one]:
            given[one] = allowed(given[one], told["mask"], cross if one == "src_mask" else keys)
        for one, other in (("key", "query"), ("value", "key")):
            if other in given and one not in given:
                given[one] = given[other]
        if told["causal"]:
            n, m = (given.get(one, next(iter(given.values()))).shape[1] for one in ("query", "key"))
            triangle = triangle_like(next(iter(given.values())), n, m)
            given["mask"] = triangle if given.get("mask") is None else given["mask"] & triangle
        out = moved(kind.forward(self, *rest, **given, **unknown), _OUTWARD.get(told["batch"]))
        if self.dropout_rate and hasattr(self, "training"):  # a class of arrays does not train here
            import torch

            out = torch.nn.functional.dropout(out, self.dropout_rate, self.training)
        return (out, None) if PAIRS else out

    space = {"__init__": made, "forward": forward, "__module__": kind.__module__}
    return type(name, (kind,), space if "__call__" in dir(kind) else {**space, "__call__": forward})


def triangle_like(array: Any, n: int, m: int) -> Any:
    """The causal mask in which True may attend, (n, m), of the library of an array."""
    if type(array).__module__.startswith("torch"):
        import torch

        return torch.ones(n, m, dtype=torch.bool).tril()
    import numpy as np

    return np.tri(n, m, dtype=bool)


def read_as(ours: Callable[..., Any], told: Mapping[str, Any]) -> Callable[..., Any]:
    """Our function: masks as the hand-out means them, and of several results those that it names."""

    def call(**given: Any) -> Any:
        out = ours(**{one: allowed(value, told["mask"]) if "mask" in one else value for one, value in given.items()})
        if told["makes_mask"]:
            return meant(out, told["mask"], told["hides"])
        values = out if told["several"] else (out,)
        gives = [None if at is None else values[at] for at in told["gives"]]
        return out if not gives else gives[0] if len(gives) == 1 else tuple(gives)

    return call


def from_ids(*, causal: bool) -> Callable[..., Any]:
    """A maker of masks (batch, 1, 1 or n, n) of ids, tensors or arrays, in which True may attend."""

    def made(ids: Any, pad_id: int = 0) -> Any:
        place = (ids == ids).cumsum(1)  # noqa: PLR0124 - ones of the library and the device of the ids
        real = (ids != pad_id)[:, None, None, :]
        return real & (place[:, None, :, None] >= place[:, None, None, :]) if causal else real

    return made


def function(names: Sequence[str], ours: Callable[..., Any], usual: Sequence[str] = ()) -> Callable[[Any], Any]:
    """A maker of functions that are called as the student's own, whose names for the arguments may be others.

    What the student's own takes where it is not told is passed of the arguments that are ``usual``.
    """

    def called_as(own: Any) -> Callable[..., Any]:
        told = own.__code__.co_varnames[: own.__code__.co_argcount] if hasattr(own, "__code__") else names
        kept = getattr(own, "__defaults__", None) or ()
        left = {name: value for name, value in zip(names[::-1], kept[::-1], strict=False) if name in usual}
        place = {**dict(zip(told, names, strict=False)), **{name: name for name in names}}
        more = ["drop" in name for name in told[len(names) :]]

        def call(*args: Any, **kwargs: Any) -> Any:
            args = args[: len(names)] if all(more[: max(len(args) - len(names), 0)]) else args
            named = {place.get(name, name): value for name, value in kwargs.items() if "drop" not in name}
            named = {**left, **dict(zip(names, args, strict=False)), **named}
            return ours(*args[len(names) :], **named)

        return call

    return called_as


def own(thing: Any) -> Any:
    """What is called in the end: a method of a class is its function."""
    return thing.__func__ if isinstance(thing, (staticmethod, classmethod, types.MethodType)) else thing


def bind(space: dict[str, Any], defined: Mapping[str, bool]) -> None:
    """Put each part in its place, under its name and wherever else the student's own is bound, in a class too."""
    for name, made in PARTS.items():
        if name not in space and defined[name]:
            continue
        theirs = own(space.get(name))
        space[name] = ours = made(space.get(name))
        if theirs is None:
            continue
        for other, value in list(space.items()):
            if own(value) is theirs:
                space[other] = ours
            elif isinstance(value, type) and value.__module__ == space["__name__"]:
                for held in [key for key, one in vars(value).items() if own(one) is theirs]:
                    setattr(value, held, staticmethod(ours))


def either(numpy_one: Callable[..., Any], torch_one: Callable[..., Any]) -> Callable[..., Any]:
    """Ours in numpy or in torch, by what is given first."""

    def call(*args: Any, **kwargs: Any) -> Any:
        first = args[0] if args else next(iter(kwargs.values()))
        return (torch_one if type(first).__module__.startswith("torch") else numpy_one)(*args, **kwargs)

    return call
