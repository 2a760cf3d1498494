"""The functions a formula may call: softmax, ReLU, LayerNorm, Concat, sine and their like."""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from grader.written.formula.entries import choose, einsum, entry
from grader.written.formula.norms import STATISTICS, layer_norm, statistic
from grader.written.formula.tree import (
    Call,
    Neg,
    Node,
    Num,
    Seq,
    ShapeError,
    Sum,
    Sym,
    Transpose,
    UnknownNameError,
    UnreadableError,
    walk,
)
from grader.written.formula.values import (
    Array,
    Definition,
    Scope,
    Value,
    World,
    add,
    evaluate,
    free_letters,
    multiply,
    power,
    run_of,
)

_SCALARS: Mapping[str, Callable[[float], float]] = {
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "floor": math.floor,
    "sqrt": math.sqrt,
    "rsqrt": lambda x: 1.0 / math.sqrt(x),
    "log": math.log,
}
_ENTRIES: Mapping[str, Callable[[Array], Array]] = {
    "exp": np.exp,
    "tanh": np.tanh,
    "abs": np.abs,
    "relu": lambda x: np.maximum(x, 0.0),
    "sigmoid": lambda x: 1.0 / (1.0 + np.exp(-x)),
    "gelu": lambda x: x / (1.0 + np.exp(-1.702 * x)),
    "softplus": lambda x: np.log1p(np.exp(x)),
}


def soft(x: Array, axis: int) -> Array:
    """Softmax of `x` along `axis`."""
    raised = np.exp(x - x.max(axis=axis, keepdims=True))
    return np.asarray(raised / raised.sum(axis=axis, keepdims=True))


def opaque(name: str, x: Array, axis: int, place: int = 0) -> Array:
    """Return a fixed non-linear map of the features, one for each name: it stands for LayerNorm or a sublayer."""
    seed = zlib.crc32(f"{name}/{place}".encode())
    a, b, c = ((seed >> shift & 255) / 256 + 0.5 for shift in (0, 8, 16))
    return np.asarray(np.sin(a * x + c) + b * np.roll(x, 1, axis=axis) * x)


def _figure(node: Node, scope: Scope) -> float:
    """Return the value of a node that must be a number, such as an axis."""
    value = evaluate(node, scope)
    if isinstance(value, np.ndarray):
        raise UnreadableError("An array stands where a number was expected.")
    return float(value)


def _axis(call: Call, arguments: list[Value], scope: Scope) -> int | None:
    """Return the axis a call names, or None; a second number counts as one."""
    for key, node in call.options:
        if key in {"dim", "axis"}:
            value = _figure(node, scope)
        elif key in {"keepdims", "keepdim", "dtype"}:
            continue
        else:
            raise UnreadableError(f"The setting “{key}” is not understood.")
        return _which_axis(value)
    if len(arguments) > 1 and not isinstance(arguments[1], np.ndarray):
        return _which_axis(arguments[1])
    return None


def _which_axis(value: float) -> int:
    """Return 1 for the last axis and 0 for the one before; a batch may stand in front."""
    if value not in {-2.0, -1.0, 0.0, 1.0, 2.0, 3.0}:
        raise UnreadableError(f"There is no axis {value:g}.")
    return 0 if value in {0.0, -2.0} else 1


def _softmax(call: Call, scope: Scope) -> Value:
    arguments = [evaluate(arg, scope) for arg in call.args]
    x = arguments[0]
    axis = _axis(call, arguments, scope)
    if not isinstance(x, np.ndarray):
        return _softmax_at(call, scope)
    if x.ndim == 1:
        return soft(x, 0)
    if call.mark == "row":
        axis = 1
    elif call.mark == "column":
        axis = 0
    elif call.mark and call.mark not in {"j", "k", "l", "m", "s"}:
        raise UnreadableError(f"What “softmax_{call.mark}” runs over is not clear.")
    return soft(x, scope.world.axis if axis is None else axis)


def _softmax_at(call: Call, scope: Scope) -> float:
    """Softmax of one score: normalised over the index it is marked with, or the one a sum runs over."""
    letters = [letter for letter in reversed(list(scope.indices)) if letter in free_letters(call.args[0])]
    letter = call.mark if len(call.mark) == 1 else (letters[0] if letters else "")
    if letter not in free_letters(call.args[0]):
        raise UnreadableError("What the softmax runs over is not clear.")
    run = run_of(Sum(letter, None, None, call.args[0]), scope)
    scores = []
    for number in run:
        value = evaluate(call.args[0], replace(scope, indices={**scope.indices, letter: number}, depth=scope.depth + 1))
        if isinstance(value, np.ndarray):
            raise ShapeError("A softmax over scores that are not numbers.")
        scores.append(value)
    here = evaluate(call.args[0], scope)
    if isinstance(here, np.ndarray):
        raise ShapeError("A softmax over scores that are not numbers.")
    return float(math.exp(here) / sum(math.exp(score) for score in scores))


def _extreme(call: Call, scope: Scope) -> Value:
    pick = np.maximum if call.name == "max" else np.minimum
    nodes = call.args[0].items if len(call.args) == 1 and isinstance(call.args[0], Seq) else call.args
    values = [evaluate(node, scope) for node in nodes]
    if len(values) < 2 or call.options or call.mark:  # noqa: PLR2004 - a maximum of one value is another thing
        raise UnreadableError(f"“{call.name}” of a single value is not understood.")
    arrays = [value for value in values if isinstance(value, np.ndarray)]
    if len({array.shape for array in arrays}) > 1:
        raise ShapeError("A maximum over different shapes.")
    result = values[0]
    for value in values[1:]:
        result = pick(result, value)
    return np.asarray(result) if arrays else float(result)


def _listed(call: Call, scope: Scope) -> list[Value]:
    """Return the values a Concat joins, with running items spread out."""
    nodes = list(call.args)
    if len(nodes) == 1 and isinstance(nodes[0], Seq):
        nodes = list(nodes[0].items)
    if any(isinstance(node, Sym) and node.index and isinstance(node.index[0], Num) for node in nodes):
        raise UnreadableError("Whether these are all the heads is not clear.")
    out: list[Value] = []
    for node in nodes:
        if isinstance(node, Call) and node.name == "concat" and not node.options:
            out.extend(_listed(node, scope))
        elif isinstance(node, Sum) and node.joins:
            for number in run_of(node, scope):
                inner = replace(scope, indices={**scope.indices, node.var: number}, depth=scope.depth + 1)
                out.append(evaluate(node.body, inner))
        elif isinstance(node, Sym) and len(node.index) == 1 and isinstance(node.index[0], Sym) and len(nodes) == 1:
            letter = node.index[0].name
            if letter in scope.world.ranges or letter in scope.indices:
                raise UnreadableError("Which heads are joined is not clear.")
            out.extend(_listed(Call("concat", (Sum(letter, None, Sym("h"), node, joins=True),)), scope))
        else:
            out.append(evaluate(node, scope))
    return out


def _concat(call: Call, scope: Scope) -> Value:
    axis = scope.world.axis
    for key, node in call.options:
        value = _figure(node, scope)
        if key not in {"dim", "axis"}:
            raise UnreadableError(f"The setting “{key}” is not understood.")
        if value not in {-1.0, 1.0, 2.0}:
            raise ShapeError("The heads are joined along another axis.")
    parts = _listed(replace(call, options=()), scope)
    arrays = [part for part in parts if isinstance(part, np.ndarray) and part.ndim == 2]  # noqa: PLR2004
    if len(arrays) != len(parts) or len({array.shape[1 - axis] for array in arrays}) != 1:
        raise ShapeError("The parts do not fit side by side.")
    return np.concatenate(arrays, axis=axis)


def attend(q: Value, k: Value, v: Value, scope: Scope) -> Value:
    """Scaled dot-product attention in the world's orientation, section 3.2.1."""
    if not (isinstance(q, np.ndarray) and isinstance(k, np.ndarray) and isinstance(v, np.ndarray)):
        raise ShapeError("Attention of numbers.")
    if scope.world.axis == 0:
        result = attend(q.T, k.T, v.T, replace(scope, world=replace(scope.world, axis=1)))
        return result.T if isinstance(result, np.ndarray) else result
    scores = multiply(q, k.T)
    if not isinstance(scores, np.ndarray):
        raise ShapeError("Attention of vectors.")
    size = scope.world.symbols.get("d_k") if scope.world.square else q.shape[1]
    return multiply(soft(scores / math.sqrt(float(size if size is not None else q.shape[1])), 1), v)


def _attention(call: Call, scope: Scope) -> Value:
    if len(call.args) != 3 or call.options:  # noqa: PLR2004 - query, key, value
        raise UnreadableError("Attention needs a query, a key and a value.")
    q, k, v = (evaluate(arg, scope) for arg in call.args)
    return attend(q, k, v, scope)


def _named(call: Call, scope: Scope) -> Value:
    """LayerNorm, another norm, or a sublayer: a fixed map; the same argument thrice counts once."""
    inputs = [Sym("x")] if call.args == (Sym("Q"), Sym("K"), Sym("V")) else list(call.args)
    values = [evaluate(arg, scope) for arg in inputs]
    if scope.world.norm and call.name in STATISTICS:
        return statistic(call, values[0])
    least = 1 if scope.world.norm else 2  # one vector, or matrices
    if not values or any(np.ndim(value) < least for value in values) or call.options:
        raise ShapeError(f"“{call.name}” of a number.")
    first = values[0]
    if scope.world.norm and call.name == "layernorm" and len(values) == 1:
        return layer_norm(np.asarray(first), scope.world)
    if scope.world.norm and call.name == "variancenorm":
        return layer_norm(np.asarray(first), scope.world, by_variance=True)
    alike = all(np.array_equal(np.asarray(value), np.asarray(first)) for value in values)
    total: Value = opaque(call.name, np.asarray(first), scope.world.axis)
    if not alike:
        for place, value in enumerate(values[1:], start=1):
            total = add(total, opaque(call.name, np.asarray(value), scope.world.axis, place), scope)
    return total


def _dim(call: Call, scope: Scope) -> float:
    x = evaluate(call.args[0], scope)
    if isinstance(x, np.ndarray) and len(call.args) == 1 and not call.options:
        return float(x.shape[0 if scope.world.axis else -1])  # len(K)
    if not isinstance(x, np.ndarray) or len(call.args) != 2:  # noqa: PLR2004 - the array and the axis
        raise UnreadableError("The size of which axis is meant?")
    at = _figure(call.args[1], scope)
    if at not in {-1.0, -2.0, 0.0, 1.0, 2.0}:
        raise UnreadableError("The size of which axis is meant?")
    return float(x.shape[1 if at in {-1.0, 1.0, 2.0} else 0])


def _matmul(call: Call, scope: Scope) -> Value:
    if len(call.args) != 2 or any(part != ("transpose_b", Sym("True")) for part in call.options):  # noqa: PLR2004
        raise UnreadableError("A product needs two factors.")
    second = Transpose(call.args[1]) if call.options else call.args[1]
    a, b = (evaluate(arg, scope) for arg in (call.args[0], second))
    return multiply(a, b, entrywise=call.name == "multiply")


def _clamp(call: Call, scope: Scope) -> Value:
    settings = dict(call.options)
    low = settings.pop("min", call.args[1] if len(call.args) > 1 else None)
    if low != Num(0.0) or settings or len(call.args) > 2:  # noqa: PLR2004
        raise UnreadableError("Only a lower bound of 0 is a ReLU.")
    return _entries(replace(call, name="relu", args=call.args[:1], options=()), scope)


def _sum_over(call: Call, scope: Scope) -> Value:
    """Sum an array along an axis as in code; the axis stays as a column or row of sums."""
    values = [evaluate(arg, scope) for arg in call.args]
    x = values[0]
    axis = _axis(call, values, scope)
    if not isinstance(x, np.ndarray) or x.ndim != 2 or axis is None:  # noqa: PLR2004
        raise UnreadableError("What is summed here is not clear.")
    return np.asarray(x.sum(axis=axis, keepdims=True))


def _arange(call: Call, scope: Scope) -> Value:
    if len(call.args) != 3 or call.args[0] != Num(0.0) or call.args[2] != Num(2.0) or call.options:  # noqa: PLR2004
        raise UnreadableError("Only arange(0, d_model, 2) is the even columns.")
    return multiply(2.0, evaluate(Sym("i"), scope))


def _power(call: Call, scope: Scope) -> Value:
    if len(call.args) != 2:  # noqa: PLR2004 - base and exponent
        raise UnreadableError("A power needs a base and an exponent.")
    return power(evaluate(call.args[0], scope), evaluate(call.args[1], scope))


def _mod(call: Call, scope: Scope) -> Value:
    a, b = (evaluate(arg, scope) for arg in call.args)
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray) or b == 0:
        raise UnreadableError("A remainder of arrays.")
    return a % b


def _entries(call: Call, scope: Scope) -> Value:
    if len(call.args) != 1 or call.options:
        raise UnreadableError(f"“{call.name}” takes one argument.")
    x = evaluate(call.args[0], scope)
    with np.errstate(over="ignore"):
        result = _ENTRIES[call.name](np.asarray(x, dtype=np.float64))
    if not np.all(np.isfinite(result)):
        raise UnreadableError("A value grows beyond all bounds.")
    return result if isinstance(x, np.ndarray) else float(result)


def _number(call: Call, scope: Scope) -> Value:
    if len(call.args) != 1 or call.options or call.mark:
        raise UnreadableError(f"“{call.name}” takes one argument.")
    x = evaluate(call.args[0], scope)
    if isinstance(x, np.ndarray):
        if call.name in {"sqrt", "log"}:
            raise ShapeError(f"“{call.name}” of a matrix.")
        raise ShapeError(f"“{call.name}” takes a number.")
    try:
        return float(_SCALARS[call.name](x))
    except (ValueError, OverflowError, ZeroDivisionError):
        raise UnreadableError(f"“{call.name}” of {x:g}.") from None


def _turned(call: Call, scope: Scope) -> Value:
    axes = [part.body if isinstance(part, Neg) else part for part in call.args[1:]]
    if not all(isinstance(part, Num) for part in axes):
        raise UnreadableError("Which axes are swapped is not clear.")
    return evaluate(Transpose(call.args[0]), scope)


_TABLE: Mapping[str, Callable[[Call, Scope], Value]] = {
    "softmax": _softmax, "max": _extreme, "min": _extreme, "concat": _concat, "attention": _attention,
    "layernorm": _named, "batchnorm": _named, "rmsnorm": _named, "transpose": _turned, "matmul": _matmul,
    "multiply": _matmul, "clamp": _clamp, "sum": _sum_over, "arange": _arange, "power": _power, "mod": _mod,
    "dim": _dim, "choose": choose, "entry": entry,
    **dict.fromkeys((f"einsum{turns}" for turns in ("nn", "nt", "tn", "tt", "nnt", "ntt", "tnt", "ttt")), einsum),
    **dict.fromkeys(_ENTRIES, _entries), **dict.fromkeys(_SCALARS, _number),
}  # fmt: skip


def call(node: Call, scope: Scope) -> Value:
    """Evaluate a call: the student's own function, a known one, or a sublayer the world allows."""
    own = scope.definitions.get(f"{node.name}()")
    if own is not None:
        if len(own.names) != len(node.args) or node.options:
            raise UnreadableError(f"“{node.name}” is called in another way than it is defined.")
        values = {name: evaluate(arg, scope) for name, arg in zip(own.names, node.args, strict=True)}
        return evaluate(own.body, replace(scope, bound={**scope.bound, **values}, depth=scope.depth + 1))
    if node.name in {"dropout", "itself"} and node.args:
        return evaluate(node.args[0], scope)
    if node.name == "add_all":
        total = evaluate(node.args[0], scope)
        for arg in node.args[1:]:
            total = add(total, evaluate(arg, scope), scope)
        return total
    if node.name in scope.world.symbols and node.name not in _TABLE and "sublayers" not in scope.world.ranges:
        raise UnreadableError(f"“{node.name}” is a symbol here, not a function.")
    if (
        "sublayers" in scope.world.ranges
        and node.name not in {"softmax", "max", "min"}
        and (node.name not in _TABLE or node.name == "attention")
    ):
        return _named(node, scope)
    known = _TABLE.get(node.name)
    if known is None:
        raise UnknownNameError(node.name)
    return known(node, scope)


def scope_of(world: World, definitions: Mapping[str, Definition]) -> Scope:
    """Return the scope to evaluate a tree in, with all the functions above."""
    return Scope(world, definitions, call=call)


def sublayers(node: Node) -> list[str]:
    """Return the names called in a tree that are none of ours, in a stable order."""
    names = {part.name for part in walk(node) if isinstance(part, Call)}
    return sorted(
        name
        for name in names
        if (name not in _TABLE and name not in {"dropout", "itself", "add_all"}) or name == "attention"
    )
