"""What programs call: the functions that numpy, torch, Julia, R, C and Matlab share, on arrays of ours."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

LARGEST = 200_000
"""Entries of the largest array that a program may make."""
_MOST_LETTERS = 12


class CannotRunError(Exception):
    """A program does what we do not know, or more than we let it do."""


def bounded(*shapes: Sequence[int]) -> None:
    """Raise CannotRunError where arrays of these shapes, spread over each other, are too large."""
    if int(np.prod([float(edge) for edge in np.broadcast_shapes(*(tuple(shape) for shape in shapes))])) > LARGEST:
        raise CannotRunError


def held(value: Any) -> int:
    """Return how many entries a value holds: a list that stands in two places counts twice, a part of an array as one.

    Raises CannotRunError where lists hold too much, or themselves.
    """
    if not isinstance(value, list | tuple):
        return int(value.size) if isinstance(value, np.ndarray) and value.base is None else 1
    waiting, found = [value], 0
    while waiting:
        one = waiting.pop()
        found += 1 + len(one)
        if found > LARGEST:
            raise CannotRunError
        waiting.extend(part for part in one if isinstance(part, list | tuple))
    return found


def together(parts: Sequence[Any]) -> None:
    """Raise CannotRunError where arrays side by side are too large."""
    if sum(np.size(part) for part in parts) > LARGEST:
        raise CannotRunError


def number(value: Any) -> Any:
    """Return an array, or a float, of a value that holds numbers alone."""
    if isinstance(value, bool) or value is None or callable(value) or isinstance(value, str):
        raise CannotRunError
    if isinstance(value, list | tuple):
        parts = [number(part) for part in value]
        together(parts)
        value = np.array(parts, dtype=np.float64)
    return value if isinstance(value, np.ndarray) else float(value)


def elementwise(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return `function` over numbers and arrays, spread as numpy spreads them."""

    def applied(*parts: Any) -> Any:
        values = [number(part) for part in parts]
        bounded(*(np.shape(value) for value in values))
        return function(*values)

    return applied


def product(a: Any, b: Any) -> Any:
    """Return the product of matrices."""
    a, b = number(a), number(b)
    if not (np.ndim(a) and np.ndim(b)):
        raise CannotRunError
    shape = (*np.broadcast_shapes(a.shape[:-2], b.shape[:-2]), *a.shape[-2:-1], *(b.shape[-1:] if b.ndim > 1 else ()))
    bounded(shape)
    if float(np.prod(shape, dtype=np.float64)) * a.shape[-1] > LARGEST * 100:
        raise CannotRunError
    return a @ b


def selected(array: np.ndarray, where: Any) -> int:
    """Return how many entries an index with arrays in it can write, at most. Raises CannotRunError."""
    parts = where if isinstance(where, tuple) else (where,)
    shapes = [one.shape for one in parts if isinstance(one, np.ndarray) and one.dtype != np.bool_]
    bounded(*shapes)
    beside = float(np.prod(sorted(array.shape)[len(shapes) :], dtype=np.float64))
    found = float(np.prod(np.broadcast_shapes(*shapes), dtype=np.float64)) * beside if shapes else 0.0
    if found > LARGEST * 5:
        raise CannotRunError
    return int(found)


def axis_of(options: Mapping[str, Any], rest: Sequence[Any] = ()) -> int | None:
    """Return the axis that a call names: axis, dim, dims, or the first plain argument."""
    named = [options[name] for name in ("axis", "dim", "dims") if name in options]
    found = named[0] if named else (rest[0] if rest else None)
    return int(found) if isinstance(found, int | float) else None


def _keeps(options: Mapping[str, Any]) -> bool:
    return bool(options.get("keepdims", options.get("keepdim", False)))


def softmax(x: Any, *rest: Any, **options: Any) -> Any:
    """Softmax over the last axis, or the one that is named."""
    x, axis = number(x), axis_of(options, rest)
    axis = -1 if axis is None else axis
    powers = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


def reduced(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a sum, mean or maximum over an axis or over all."""

    def applied(x: Any, *rest: Any, **options: Any) -> Any:
        return function(number(x), axis=axis_of(options, rest), keepdims=_keeps(options))

    return applied


def extreme(over: Callable[..., Any], pair: Callable[..., Any]) -> Callable[..., Any]:
    """Return max or min: of two, entry by entry, or of one along an axis."""

    def applied(*parts: Any, **options: Any) -> Any:
        if len(parts) == 2 and not options:  # noqa: PLR2004 - of two numbers or arrays
            return elementwise(pair)(*parts)
        return reduced(over)(*parts, **options)

    return applied


def clamp(x: Any, *rest: Any, **options: Any) -> Any:
    """Cut at a lower and an upper bound."""
    low = options.get("min", options.get("a_min", rest[0] if rest else None))
    high = options.get("max", options.get("a_max", rest[1] if len(rest) > 1 else None))
    x = number(x)
    x = x if low is None else elementwise(np.maximum)(x, low)
    return x if high is None else elementwise(np.minimum)(x, high)


def summed(x: Any, *rest: Any, **options: Any) -> Any:
    """Add up: the items of a list, or the entries of an array along an axis or all."""
    if isinstance(x, list | tuple) and not rest and not options:
        return number(x).sum(axis=0)
    return reduced(np.sum)(x, *rest, **options)


def layer_norm(x: Any, *rest: Any, **options: Any) -> Any:
    """Normalise the last axis; gain and offset where they are given."""
    x = number(x)
    out = (x - x.mean(axis=-1, keepdims=True)) / x.std(axis=-1, keepdims=True)
    given = [part for part in rest if isinstance(part, np.ndarray)]
    gain = options.get("weight", given[0] if given else None)
    offset = options.get("bias", given[1] if len(given) > 1 else None)
    out = out if gain is None else elementwise(np.multiply)(out, gain)
    return out if offset is None else elementwise(np.add)(out, offset)


def einsum(pattern: Any, *parts: Any) -> Any:
    """Sum over the letters of a pattern, within bounds."""
    values = [number(part) for part in parts]
    if not isinstance(pattern, str) or len(set(pattern)) > _MOST_LETTERS or "." in pattern:
        raise CannotRunError
    edges: dict[str, int] = {}
    for term, value in zip(pattern.replace(" ", "").split("->")[0].split(","), values, strict=True):
        for letter, edge in zip(term, value.shape, strict=True):
            edges[letter] = max(edge, edges.get(letter, 1))  # one that is 1 is spread
    bounded(tuple(edges.values()))
    return np.einsum(pattern, *values)


def span(start: Any, *rest: Any) -> Any:
    """Count from `start` to the end, which belongs to it, as a:b and a:step:b do."""
    step, end = rest if len(rest) > 1 else (1, rest[0])
    if step == 0 or (end - start) / step > LARGEST:
        raise CannotRunError
    return np.arange(start, end + (0.5 if step > 0 else -0.5), step)


def stepped(start: Any, end: Any, step: Any = 1, **options: Any) -> Any:
    """Count as R's seq(from, to, by) does."""
    return span(start, options.get("by", step), end)


def counted(*bounds: Any, **_: Any) -> Any:
    """Count as range and arange do."""
    low, high, step = (0, bounds[0], 1) if len(bounds) == 1 else (*bounds, 1)[:3]
    if step == 0 or (float(high) - float(low)) / float(step) > LARGEST:
        raise CannotRunError
    return np.arange(low, high, step)


def zeros(*shape: Any, **_: Any) -> Any:
    """Return zeros."""
    return np.zeros_like(blank(*shape))


def blank(*shape: Any, **_: Any) -> Any:
    """Return an array in which nothing is written yet: no numbers."""
    sizes = shape[0] if len(shape) == 1 and isinstance(shape[0], tuple | list) else shape
    bounded(tuple(int(edge) for edge in sizes))
    return np.full(tuple(int(edge) for edge in sizes), np.nan)


def joined(*parts: Any, **options: Any) -> Any:
    """Join along the last axis, or the one that is named."""
    first = parts[0] if len(parts) == 1 and isinstance(parts[0], list | tuple) else None
    listed = list(first if first is not None else (part for part in parts if not isinstance(part, int)))
    axis = axis_of(options, [part for part in parts if isinstance(part, int)])
    values = [number(part) for part in listed]
    together(values)
    return np.concatenate(values, axis=-1 if axis is None else axis)


def stacked(parts: Any, *rest: Any, **options: Any) -> Any:
    """Lay arrays on each other along a new axis."""
    values = [number(part) for part in parts]
    together(values)
    return np.stack(values, axis=axis_of(options, rest) or 0)


def turned(x: Any, *axes: Any) -> Any:
    """Turn a matrix, or exchange the two axes that are named, or put all in a new order."""
    x = number(x)
    axes = tuple(axes[0]) if len(axes) == 1 and isinstance(axes[0], tuple | list) else axes
    if len(axes) == 2 and x.ndim != 2:  # noqa: PLR2004 - transpose(1, 2) of torch
        return np.swapaxes(x, *axes)
    return np.transpose(x, axes or None) if x.ndim <= 2 or axes else np.swapaxes(x, -1, -2)  # noqa: PLR2004


def reshaped(x: Any, *shape: Any) -> Any:
    """Return the same numbers in another shape."""
    sizes = shape[0] if len(shape) == 1 and isinstance(shape[0], tuple | list) else shape
    x = number(x)
    out = x.reshape(tuple(int(edge) for edge in sizes))
    return out if np.may_share_memory(out, x) else out.copy()  # which holds its entries itself


def outer(a: Any, b: Any, function: Any = None) -> Any:
    """Return what a function gives for each pair of entries."""
    a, b = number(a), number(b)
    bounded((a.size, b.size))
    first, second = a.reshape(-1, 1), b.reshape(1, -1)
    return function(first, second) if callable(function) else first * second


def chosen(test: Any, yes: Any, no: Any) -> Any:
    """Return where(test, yes, no)."""
    bounded(np.shape(test), np.shape(yes), np.shape(no))
    return np.where(test if isinstance(test, bool | np.ndarray) else bool(test), number(yes), number(no))


def power(a: Any, b: Any) -> Any:
    """Raise numbers; never whole ones without end."""
    return elementwise(np.float_power)(a, b)


def same(x: Any, *_: Any, **__: Any) -> Any:
    """Return what is given: casts, copies and dropout."""
    return number(x) if isinstance(x, list | tuple) else x


def unsqueezed(x: Any, *rest: Any, **options: Any) -> Any:
    """Return an array with one more axis."""
    return np.expand_dims(number(x), axis_of(options, rest) or 0)


def linear(x: Any, weight: Any, bias: Any = 0.0) -> Any:
    """Return x W^T + b, as torch's function does."""
    return elementwise(np.add)(product(x, np.transpose(number(weight))), bias)


def folded(function: Any, items: Any) -> Any:
    """Join a list as reduce(hcat, list) does."""
    return function(list(items))


def added_product(bias: Any, x: Any, weight: Any) -> Any:
    """Return b + x W, as addmm does."""
    return elementwise(np.add)(product(x, weight), bias)


def by_indices(function: Any, shape: Any, **_: Any) -> Any:
    """Return what a function gives for the indices of each entry."""
    bounded(tuple(shape))
    return function(*np.indices(tuple(int(edge) for edge in shape)).astype(np.float64))


def each(function: Any, items: Any) -> Any:
    """Return what a function gives for each item."""
    out, found = [], 0
    for item in items:
        out.append(function(item))
        found += held(out[-1])
        if found > LARGEST:
            raise CannotRunError
    return out


def applied_each(items: Any, function: Any) -> Any:
    """Return what a function gives for each item, as lapply does."""
    return each(function, items)


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    **dict.fromkeys(("matmul", "mm", "bmm", "dot", "mmult"), product),
    "add": elementwise(np.add), "sub": elementwise(np.subtract), "subtract": elementwise(np.subtract),
    **dict.fromkeys(("mul", "multiply"), elementwise(np.multiply)),
    **dict.fromkeys(("div", "divide", "truedivide"), elementwise(np.divide)),
    **dict.fromkeys(("pow", "power", "floatpower", "powf", "powi"), power),
    **dict.fromkeys(("exp", "expf"), elementwise(np.exp)), **dict.fromkeys(("log", "ln", "logf"), elementwise(np.log)),
    **dict.fromkeys(("sqrt", "sqrtf"), elementwise(np.sqrt)), "rsqrt": elementwise(lambda x: 1.0 / np.sqrt(x)),
    **dict.fromkeys(("sin", "sinf"), elementwise(np.sin)), **dict.fromkeys(("cos", "cosf"), elementwise(np.cos)),
    "tan": elementwise(np.tan), "tanh": elementwise(np.tanh), "square": elementwise(np.square),
    "floor": elementwise(np.floor), "abs": elementwise(np.abs),
    **dict.fromkeys(("maximum", "pmax", "fmax", "fmaxf"), elementwise(np.maximum)),
    **dict.fromkeys(("minimum", "pmin", "fmin", "fminf"), elementwise(np.minimum)),
    "max": extreme(np.max, np.maximum), "amax": reduced(np.max),
    "min": extreme(np.min, np.minimum), "amin": reduced(np.min),
    "sum": summed, "mean": reduced(np.mean), "std": reduced(np.std), "var": reduced(np.var),
    **dict.fromkeys(("clamp", "clip", "clampmin"), clamp), "relu": elementwise(lambda x: np.maximum(x, 0.0)),
    "softmax": softmax, "layernorm": layer_norm, "einsum": einsum, "linear": linear,
    **dict.fromkeys(("transpose", "t", "swapaxes", "permute"), turned),
    **dict.fromkeys(("reshape", "view"), reshaped),
    **dict.fromkeys(("unsqueeze", "expanddims"), unsqueezed),
    **dict.fromkeys(("arange", "range"), counted), "span": span, "seq": stepped,
    **dict.fromkeys(("zeros", "empty"), zeros), "outer": outer, "where": chosen, "ifelse": chosen,
    **dict.fromkeys(("cat", "concat", "concatenate", "hstack", "hcat", "cbind"), joined), "stack": stacked,
    **dict.fromkeys(("float", "double", "contiguous", "detach", "clone", "to", "tensor", "array", "asarray", "float32",
                     "float64", "astype", "constant",
                     "dropout", "dropout1", "dropout2", "drop", "int", "tofloat"), same),
    "len": len, "zip": lambda *parts: list(zip(*parts, strict=False)),
    "enumerate": lambda parts: list(enumerate(parts)), "list": list,
    "lapply": applied_each, "map": each, "reduce": folded,
    "mapv": lambda x, function: function(x), "addmm": added_product, "fromfunction": by_indices,
    "rowsums": lambda x: number(x).sum(axis=-1, keepdims=True),
    "nrow": lambda x: np.shape(x)[0], "ncol": lambda x: np.shape(x)[1],
    "softplus": elementwise(lambda x: np.log1p(np.exp(x))), "sigmoid": elementwise(lambda x: 1.0 / (1.0 + np.exp(-x))),
}  # fmt: skip
_SUMS = frozenset({"sum", "mean", "maximum", "std", "var", "max"})


def counted_from_one(name: str, given: list[Any], options: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """Return the arguments of a call in a language whose axes are numbered from one, and stay where they are."""
    if name in _SUMS and "dims" in options:
        options = {**options, "keepdims": True}
    if name in _SUMS - {"max", "maximum"} and len(given) == 2 and isinstance(given[1], int) and np.ndim(given[0]):  # noqa: PLR2004
        return given[:1], {"axis": given[1] - 1, "keepdims": True}
    return given, options


LAYERS = frozenset({"softmax", "relu", "layernorm", "dropout", "tanh"})
"""What may be made first and called with its input later: nn.ReLU()(x)."""
