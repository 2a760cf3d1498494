"""The functions a formula may call: softmax, ReLU, LayerNorm, Concat, sine and their like."""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from grader.written.formula.meant import Definition
from grader.written.formula.tree import (
    NOTHING,
    Node,
    ShapeError,
    UnknownNameError,
    UnreadableError,
    call,
    index_letters,
    node,
    num,
    sym,
    walk,
)
from grader.written.formula.values import (
    Array,
    Scope,
    Value,
    World,
    add,
    entry_of,
    evaluate,
    finite,
    multiply,
    power,
    running,
    whole_index,
)
from grader.written.formula.vocabulary import STATISTICS

STYLES = ("epsilon inside the root", "epsilon beside the deviation", "no epsilon")
EPSILON = 0.0625
_SCALARS: Mapping[str, Callable[[float], float]] = {
    "sin": math.sin, "cos": math.cos, "tan": math.tan, "floor": math.floor, "sqrt": math.sqrt, "log": math.log,
    "rsqrt": lambda x: 1.0 / math.sqrt(x),
}  # fmt: skip
_ENTRIES: Mapping[str, Callable[[Array], Array]] = {
    "exp": np.exp,
    "tanh": np.tanh,
    "abs": np.abs,
    "relu": lambda x: np.maximum(x, 0.0),
    "sigmoid": lambda x: 1.0 / (1.0 + np.exp(-x)),
    "gelu": lambda x: x / (1.0 + np.exp(-1.702 * x)),
    "softplus": lambda x: np.log1p(np.exp(x)),
}
_FLAGS = frozenset({"keepdims", "keepdim", "dtype"})
_OF_STATISTICS = _FLAGS | {"dim", "axis", "unbiased", "correction"}


def soft(x: Array, axis: int) -> Array:
    """Softmax of `x` along `axis`."""
    raised = np.exp(x - x.max(axis=axis, keepdims=True))
    return np.asarray(raised / raised.sum(axis=axis, keepdims=True))


def opaque(name: str, x: Array, axis: int, place: int = 0) -> Array:
    """Return a fixed non-linear map of the features, one for each name: it stands for LayerNorm or a sublayer."""
    seed = zlib.crc32(f"{name}/{place}".encode())
    a, b, c = ((seed >> shift & 255) / 256 + 0.5 for shift in (0, 8, 16))
    return np.asarray(np.sin(a * x + c) + b * np.roll(x, 1, axis=axis) * x)


def _figure(tree: Node, scope: Scope) -> float:
    """Return the value of a node that must be a number, such as an axis."""
    value = evaluate(tree, scope)
    if isinstance(value, np.ndarray):
        raise UnreadableError("An array stands where a number was expected.")
    return float(value)


def _axis(tree: Node, scope: Scope) -> int | None:
    """Return the axis a call names, or None: 1 for the last and 0 for the one before; a batch may stand in front."""
    named = [value for key, value in tree.options if key in {"dim", "axis"}]
    if any(key not in _FLAGS | {"dim", "axis"} for key, _ in tree.options):
        raise UnreadableError("A setting is not understood.")
    named += tree.parts[1:2]
    if not named:
        return None
    value = evaluate(named[0], scope)
    if np.ndim(value):
        return None
    if value not in {-2.0, -1.0, 0.0, 1.0, 2.0, 3.0}:
        raise UnreadableError(f"There is no axis {value:g}.")
    return 0 if value in {0.0, -2.0} else 1


def _softmax(tree: Node, scope: Scope) -> Value:
    x = evaluate(tree[0], scope)
    axis = _axis(tree, scope)
    if not isinstance(x, np.ndarray):
        return _softmax_at(tree, scope)
    if x.ndim == 1:
        return soft(x, 0)
    if tree.mark in {"row", "column"}:
        axis = 1 if tree.mark == "row" else 0
    elif tree.mark not in {"", "j", "k", "l", "m", "s"}:
        raise UnreadableError(f"What “softmax_{tree.mark}” runs over is not clear.")
    return soft(x, scope.world.axis if axis is None else axis)


def _softmax_at(tree: Node, scope: Scope) -> float:
    """Softmax of one score: normalised over the index it is marked with, or the one a sum runs over."""
    known = index_letters(tree[0])
    letters = [letter for letter in reversed(list(scope.indices)) if letter in known]
    letter = tree.mark if len(tree.mark) == 1 else (letters[0] if letters else "")
    if letter not in known:
        raise UnreadableError("What the softmax runs over is not clear.")
    scopes = [*running(Node("sum", (tree[0], NOTHING, NOTHING), letter), scope), scope]
    scores = [evaluate(tree[0], inner) for inner in scopes]
    if any(np.ndim(score) for score in scores):
        raise ShapeError("A softmax over scores that are not numbers.")
    raised = np.exp(np.array(scores, dtype=np.float64))
    return float(raised[-1] / raised[:-1].sum())


def _extreme(tree: Node, scope: Scope) -> Value:
    nodes = tree[0].parts if len(tree.parts) == 1 and tree[0].op == "list" else tree.parts
    values = [evaluate(part, scope) for part in nodes]
    if len(values) < 2 or tree.options or tree.mark:  # a maximum of one value is another thing
        raise UnreadableError(f"“{tree.name}” of a single value is not understood.")
    if len({np.shape(value) for value in values} - {()}) > 1:
        raise ShapeError("A maximum over different shapes.")
    result = values[0]
    for value in values[1:]:
        result = (np.maximum if tree.name == "max" else np.minimum)(result, value)
    return np.asarray(result) if np.ndim(result) else float(result)


def _listed(tree: Node, scope: Scope) -> list[Value]:
    """Return the values a Concat joins, with running items spread out."""
    nodes = tree[0].parts if len(tree.parts) == 1 and tree[0].op == "list" else tree.parts
    if any(part.op == "sym" and part.parts and part[0].op == "num" for part in nodes):
        raise UnreadableError("Whether these are all the heads is not clear.")
    out: list[Value] = []
    for part in nodes:
        if part.name == "concat" and not part.options:
            out += _listed(part, scope)
        elif part.op == "join":
            out += [evaluate(part[0], inner) for inner in running(part, scope)]
        elif part.op == "sym" and [at.op for at in part.parts] == ["sym"] and len(nodes) == 1:
            letter = part[0].name
            if letter in scope.world.ranges or letter in scope.indices:
                raise UnreadableError("Which heads are joined is not clear.")
            out += _listed(call("concat", Node("join", (part, NOTHING, sym("h")), letter)), scope)
        else:
            out.append(evaluate(part, scope))
    return out


def _concat(tree: Node, scope: Scope) -> Value:
    axis = scope.world.axis
    if any(key not in {"dim", "axis"} for key, _ in tree.options):
        raise UnreadableError("A setting is not understood.")
    if any(_figure(value, scope) not in {-1.0, 1.0, 2.0} for _, value in tree.options):
        raise ShapeError("The heads are joined along another axis.")
    arrays = [np.asarray(part) for part in _listed(replace(tree, options=()), scope)]
    if any(array.ndim != 2 for array in arrays) or len({array.shape[1 - axis] for array in arrays}) != 1:
        raise ShapeError("The parts do not fit side by side.")
    return np.concatenate(arrays, axis=axis)


def attend(q: Value, k: Value, v: Value, world: World) -> Value:
    """Scaled dot-product attention in the world's orientation, section 3.2.1."""
    if not (isinstance(q, np.ndarray) and isinstance(k, np.ndarray) and isinstance(v, np.ndarray)):
        raise ShapeError("Attention of numbers.")
    if world.axis == 0:
        return np.asarray(attend(q.T, k.T, v.T, replace(world, axis=1))).T
    scores = multiply(q, k.T)
    if not isinstance(scores, np.ndarray):
        raise ShapeError("Attention of vectors.")
    size = world.symbols.get("d_k", q.shape[1]) if world.square else q.shape[1]
    return multiply(soft(scores / math.sqrt(float(size)), 1), v)


def _attention(tree: Node, scope: Scope) -> Value:
    if len(tree.parts) != 3 or tree.options:
        raise UnreadableError("Attention needs a query, a key and a value.")
    q, k, v = (evaluate(part, scope) for part in tree.parts)
    return attend(q, k, v, scope.world)


def _named(tree: Node, scope: Scope) -> Value:
    """LayerNorm, another norm, or a sublayer: a fixed map; the same argument thrice counts once."""
    inputs = [sym("x")] if tree.parts == (sym("Q"), sym("K"), sym("V")) else tree.parts
    values = [np.asarray(evaluate(part, scope)) for part in inputs]
    if scope.world.norm and tree.name in STATISTICS:
        return _statistic(tree, values[0])
    least = 1 if scope.world.norm else 2  # one vector, or matrices
    if not values or any(value.ndim < least for value in values) or tree.options:
        raise ShapeError(f"“{tree.name}” of a number.")
    first = values[0]
    if scope.world.norm and tree.name in {"layernorm", "variancenorm"}:
        return _layer_norm(first, scope.world, by_variance=tree.name == "variancenorm")
    total: Value = opaque(tree.name, first, scope.world.axis)
    if any(not np.array_equal(value, first) for value in values):
        for place, value in enumerate(values[1:], start=1):
            total = add(total, opaque(tree.name, value, scope.world.axis, place), scope.world)
    return total


def _layer_norm(z: Array, world: World, *, by_variance: bool) -> Array:
    """Normalise one vector in the style of the world: gain * (z − mean) / deviation + bias."""
    inside, beside = (EPSILON * (world.norm == style) for style in STYLES[:2])
    below = float(z.var()) + inside + beside if by_variance else math.sqrt(float(z.var()) + inside) + beside
    gain, bias = np.asarray(world.symbols["gamma"]), np.asarray(world.symbols["beta"])
    return np.asarray(gain * (z - z.mean()) / below + bias)


def _statistic(tree: Node, value: Array) -> float:
    """Return the mean, the variance or the standard deviation of one vector."""
    if value.ndim != 1:
        raise ShapeError("The mean of a number.")
    if any(key not in _OF_STATISTICS for key, _ in tree.options):
        raise UnreadableError("Over what the mean is taken is not clear.")
    return float(getattr(value, STATISTICS[tree.name])())


def _dim(tree: Node, scope: Scope) -> float:
    x = evaluate(tree[0], scope)
    if np.ndim(x) and len(tree.parts) == 1 and not tree.options:
        return float(np.shape(x)[0 if scope.world.axis else -1])  # len(K)
    at = _figure(tree[1], scope) if np.ndim(x) and len(tree.parts) == 2 else 9.0
    if at not in {-1.0, -2.0, 0.0, 1.0, 2.0}:
        raise UnreadableError("The size of which axis is meant?")
    return float(np.shape(x)[1 if at in {-1.0, 1.0, 2.0} else 0])


def _matmul(tree: Node, scope: Scope) -> Value:
    """Multiply two matrices; einsumnt(A, B) is A B^T, einsumntt its transpose."""
    turned = any(part == ("transpose_b", sym("True")) for part in tree.options)
    if len(tree.parts) != 2 or len(tree.options) > turned:
        raise UnreadableError("A product needs two factors.")
    turns = tree.name.removeprefix("einsum") if tree.name.startswith("einsum") else "nt" if turned else "nn"
    a, b = (node("T", part) if turn == "t" else part for part, turn in zip(tree.parts, turns, strict=False))
    result = multiply(evaluate(a, scope), evaluate(b, scope), entrywise=tree.name == "multiply")
    return np.transpose(result) if len(turns) > 2 and np.ndim(result) else result


def _clamp(tree: Node, scope: Scope) -> Value:
    settings = dict(tree.options)
    low = settings.pop("min", tree[1] if len(tree.parts) > 1 else None)
    if low != num(0) or settings or len(tree.parts) > 2:
        raise UnreadableError("Only a lower bound of 0 is a ReLU.")
    return _entries(call("relu", tree[0]), scope)


def _sum_over(tree: Node, scope: Scope) -> Value:
    """Sum an array along an axis as in code; the axis stays as a column or row of sums."""
    x, axis = evaluate(tree[0], scope), _axis(tree, scope)
    if not isinstance(x, np.ndarray) or x.ndim != 2 or axis is None:
        raise UnreadableError("What is summed here is not clear.")
    return np.asarray(x.sum(axis=axis, keepdims=True))


def _arange(tree: Node, scope: Scope) -> Value:
    if len(tree.parts) != 3 or tree.parts[::2] != (num(0), num(2)) or tree.options:
        raise UnreadableError("Only arange(0, d_model, 2) is the even columns.")
    return multiply(2.0, evaluate(sym("i"), scope))


def _two(tree: Node, scope: Scope) -> Value:
    """Return a power or a remainder."""
    if len(tree.parts) != 2:
        raise UnreadableError(f"“{tree.name}” takes two arguments.")
    a, b = (evaluate(part, scope) for part in tree.parts)
    if tree.name == "power":
        return power(a, b)
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray) or b == 0:
        raise UnreadableError("A remainder of arrays.")
    return a % b


def _entries(tree: Node, scope: Scope) -> Value:
    if len(tree.parts) != 1 or tree.options:
        raise UnreadableError(f"“{tree.name}” takes one argument.")
    x = evaluate(tree[0], scope)
    with np.errstate(over="ignore"):
        result = _ENTRIES[tree.name](np.asarray(x, dtype=np.float64))
    finite(float(np.max(np.abs(result), initial=0.0)))
    return result if isinstance(x, np.ndarray) else float(result)


def _number(tree: Node, scope: Scope) -> Value:
    if len(tree.parts) != 1 or tree.options or tree.mark:
        raise UnreadableError(f"“{tree.name}” takes one argument.")
    x = evaluate(tree[0], scope)
    if isinstance(x, np.ndarray):
        raise ShapeError(f"“{tree.name}” of a matrix.")
    try:
        return float(_SCALARS[tree.name](x))
    except (ValueError, OverflowError, ZeroDivisionError):
        raise UnreadableError(f"“{tree.name}” of {x:g}.") from None


def _turned(tree: Node, scope: Scope) -> Value:
    if any(part.op not in {"num", "neg"} for part in tree.parts[1:]):
        raise UnreadableError("Which axes are swapped is not clear.")
    return evaluate(node("T", tree[0]), scope)


def _choose(tree: Node, scope: Scope) -> Value:
    """Return the third argument where the first is below the second, else the fourth; entry by entry for arrays."""
    if len(tree.parts) != 4 or tree.options:
        raise UnreadableError("A choice needs a condition and two cases.")
    a, b, low, high = (evaluate(part, scope) for part in tree.parts)
    shapes = {np.shape(value) for value in (a, b, low, high)} - {()}
    if len(shapes) > 1:
        raise ShapeError("The cases have different shapes.")
    return np.where(np.asarray(a) < np.asarray(b), low, high) if shapes else (low if a < b else high)


def _entry(tree: Node, scope: Scope) -> Value:
    return entry_of(evaluate(tree[0], scope), [whole_index(part, scope) for part in tree.parts[1:]], "It")


_TABLE: Mapping[str, Callable[[Node, Scope], Value]] = {
    "softmax": _softmax, "max": _extreme, "min": _extreme, "concat": _concat, "attention": _attention,
    "layernorm": _named, "batchnorm": _named, "rmsnorm": _named, "transpose": _turned, "matmul": _matmul,
    "multiply": _matmul, "clamp": _clamp, "sum": _sum_over, "arange": _arange, "power": _two, "mod": _two,
    "dim": _dim, "choose": _choose, "entry": _entry,
    **dict.fromkeys(_ENTRIES, _entries), **dict.fromkeys(_SCALARS, _number),
}  # fmt: skip


def _call(tree: Node, scope: Scope) -> Value:
    """Evaluate a call: the student's own function, a known one, or a sublayer the world allows."""
    own = scope.definitions.get(f"{tree.name}()")
    if own is not None:
        if len(own.names) != len(tree.parts) or tree.options:
            raise UnreadableError(f"“{tree.name}” is called in another way than it is defined.")
        values = {name: evaluate(part, scope) for name, part in zip(own.names, tree.parts, strict=True)}
        return evaluate(own.body, scope.inside(bound=values))
    if tree.name in {"dropout", "itself"} and tree.parts:
        return evaluate(tree[0], scope)
    if tree.name == "add_all":
        total = evaluate(tree[0], scope)
        for part in tree.parts[1:]:
            total = add(total, evaluate(part, scope), scope.world)
        return total
    layers = "sublayers" in scope.world.ranges
    if tree.name in scope.world.symbols and tree.name not in _TABLE and not layers:
        raise UnreadableError(f"“{tree.name}” is a symbol here, not a function.")
    if layers and tree.name in sublayers(tree, everything=True):
        return _named(tree, scope)
    known = _matmul if tree.name.startswith("einsum") else _TABLE.get(tree.name)
    if known is None:
        raise UnknownNameError(tree.name)
    return known(tree, scope)


def scope_of(world: World, definitions: Mapping[str, Definition]) -> Scope:
    """Return the scope to evaluate a tree in, with all the functions above."""
    return Scope(world, definitions, call=_call)


def sublayers(tree: Node, *, everything: bool = False) -> list[str]:
    """Return the names called in a tree that are none of ours, in a stable order."""
    parts = [tree] if everything else walk(tree)
    ours = {*_TABLE, "dropout", "itself", "add_all"} - {"attention"}
    return sorted({part.name for part in parts if part.op == "call" and part.name not in ours})
