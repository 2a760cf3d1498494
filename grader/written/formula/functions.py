"""The functions a formula may call: softmax, ReLU, LayerNorm, Concat, sine and their like."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial, reduce

import numpy as np

from grader.written.formula.errors import ShapeError, UnknownNameError, UnreadableError
from grader.written.formula.meant import Definition
from grader.written.formula.tree import NOTHING, Node, call, index_letters, node, num, sym, walk
from grader.written.formula.values import Scope, Value, World, add, attend, evaluate, finite, opaque, running, soft
from grader.written.formula.vocabulary import SIZE_NAMES

_PLAIN: Mapping[str, Callable[[Value], Value]] = {
    **{name: getattr(np, name) for name in ("sin", "cos", "tan", "floor", "sqrt", "log", "exp", "tanh", "abs")},
    "rsqrt": lambda x: 1.0 / np.sqrt(x),
    "relu": lambda x: np.maximum(x, 0.0),
    "sigmoid": lambda x: 1.0 / (1.0 + np.exp(-x)),
    "gelu": lambda x: x / (1.0 + np.exp(-1.702 * x)),
    "softplus": lambda x: np.log1p(np.exp(x)),
}
_OF_NUMBERS = frozenset({"sin", "cos", "tan", "floor", "sqrt", "log", "rsqrt"})
_FLAGS = frozenset({"keepdims", "keepdim", "dtype"})


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
    if len(named) > 1:
        raise UnreadableError("The axis is given twice.")
    if not named:
        return None
    value = evaluate(named[0], scope)
    if np.ndim(value) and not tree.options:
        return None
    if np.ndim(value) or value not in {-2.0, -1.0, 0.0, 1.0, 2.0, 3.0}:
        raise UnreadableError(f"There is no axis {value}.")
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
    if tree.options:
        return _along(tree, scope)
    nodes = tree[0].parts if len(tree.parts) == 1 and tree[0].op == "list" else tree.parts
    values = [evaluate(part, scope) for part in nodes]
    if len(values) < 2 or tree.mark:  # a maximum of one value is another thing
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
            out += _listed(call("concat", Node("join", (part, NOTHING, sym("h")), letter)), scope)
        else:
            out.append(evaluate(part, scope))
    return out


def _concat(tree: Node, scope: Scope) -> Value:
    axis = scope.world.axis
    if len(tree.parts) == 2 and tree[1] in {num(1), node("neg", num(1))}:  # torch.cat(heads, -1)
        tree = replace(tree, parts=tree.parts[:1], options=(("dim", tree[1]), *tree.options))
    if any(key not in {"dim", "axis"} for key, _ in tree.options):
        raise UnreadableError("A setting is not understood.")
    if any(_figure(value, scope) not in {-1.0, 1.0, 2.0} for _, value in tree.options):
        raise ShapeError("The heads are joined along another axis.")
    arrays = [np.asarray(part) for part in _listed(replace(tree, options=()), scope)]
    if any(array.ndim != 2 for array in arrays) or len({array.shape[1 - axis] for array in arrays}) != 1:
        raise ShapeError("The parts do not fit side by side.")
    return np.concatenate(arrays, axis=axis)


def _attention(tree: Node, scope: Scope) -> Value:
    q, k, v = (evaluate(part, scope) for part in tree.parts)
    return attend(q, k, v, scope.world)


def _named(tree: Node, scope: Scope) -> Value:
    """LayerNorm, another norm, or a sublayer: a fixed map; the same argument thrice counts once."""
    inputs = [sym("x")] if tree.parts == (sym("Q"), sym("K"), sym("V")) else tree.parts
    inputs = [
        part for part in inputs if part is inputs[0] or part.name not in SIZE_NAMES
    ]  # F.layer_norm(x, (d_model,))
    values = [np.asarray(evaluate(part, scope)) for part in inputs]
    if not values or any(value.ndim < 2 for value in values) or tree.options:
        raise ShapeError(f"“{tree.name}” of a number.")
    first = values[0]
    total: Value = opaque(tree.name, first, scope.world.axis)
    if any(not np.array_equal(value, first) for value in values):
        for place, value in enumerate(values[1:], start=1):
            total = add(total, opaque(tree.name, value, scope.world.axis, place), scope.world)
    return total


def _dim(tree: Node, scope: Scope) -> float:
    shape = np.shape(evaluate(tree[0], scope))
    if shape and len(tree.parts) == 1:
        return float(shape[0 if scope.world.axis else -1])  # len(K)
    at = _figure(tree.parts[-1], scope) if shape else 9.0
    if at not in {-1.0, -2.0, 0.0, 1.0, 2.0}:
        raise UnreadableError("The size of which axis is meant?")
    return float(shape[1 if at in {-1.0, 1.0, 2.0} else 0])


def _einsum(tree: Node, scope: Scope) -> Value:
    """Multiply two matrices as einsum says; letters before their last two, and those that all share, are a batch."""
    letters = tree.mark.split(",")
    batch = set.intersection(*map(set, letters))
    first, second, out = ("".join(letter for letter in part if letter not in batch)[-2:] for part in letters)
    a, b = (evaluate(part, scope) for part in tree.parts)
    fits = {*out} == {*first} ^ {*second} and len(out) == 2 and {*letters[0][:-2], *letters[1][:-2]} <= {*letters[2]}
    if np.ndim(a) != 2 or np.ndim(b) != 2 or not fits:
        raise UnreadableError("A product needs two factors.")
    try:
        return np.asarray(np.einsum(f"{first},{second}->{out}", a, b))
    except ValueError:
        raise ShapeError("The matrices cannot be multiplied so.") from None


def _along(tree: Node, scope: Scope) -> Value:
    """Sum an array along an axis as in code, or take its maximum; the axis stays as a column or row."""
    x, axis = evaluate(tree[0], scope), _axis(tree, scope)
    if not isinstance(x, np.ndarray) or x.ndim != 2 or axis is None:
        raise UnreadableError(f"The axis of “{tree.name}” is not clear.")
    return np.asarray((x.sum if tree.name == "sum" else x.max)(axis=axis, keepdims=True))


def _plain(tree: Node, scope: Scope) -> Value:
    x = evaluate(tree[0], scope)
    if tree.mark and tree.name in _OF_NUMBERS:
        raise UnreadableError(f"What “{tree.name}_{tree.mark}” means is not clear.")
    if np.ndim(x) and tree.name in _OF_NUMBERS:
        raise ShapeError(f"“{tree.name}” of a matrix.")
    with np.errstate(all="ignore"):
        result = _PLAIN[tree.name](x)
    finite(float(np.max(np.abs(result), initial=0.0)))
    return result if np.ndim(x) else float(result)


def _choose(tree: Node, scope: Scope) -> Value:
    """Return the second argument where the first holds, else the third; entry by entry for arrays."""
    if tree[0].op != "<":
        raise UnreadableError("What is to hold is not clear.")
    holds, this, other = (evaluate(part, scope) for part in tree.parts)
    if len({np.shape(value) for value in (holds, this, other)} - {()}) > 1:
        raise ShapeError("The cases have different shapes.")
    return np.where(holds, this, other) if np.ndim(holds) else (this if holds else other)


_MANY = 99
_WITH_OPTIONS: Mapping[str, tuple[Callable[[Node, Scope], Value], int, int]] = {
    "softmax": (_softmax, 1, 2), "concat": (_concat, 1, _MANY), "sum": (_along, 1, 2),
    "layernorm": (_named, 0, _MANY), "batchnorm": (_named, 0, _MANY), "rmsnorm": (_named, 0, _MANY),
    "max": (_extreme, 1, _MANY), "einsum": (_einsum, 2, 2),
}  # fmt: skip
_TABLE: Mapping[str, tuple[Callable[[Node, Scope], Value], int, int]] = {
    "min": (_extreme, 1, _MANY), "attention": (_attention, 3, 3),
    "dim": (_dim, 1, 2), "choose": (_choose, 3, 3), **_WITH_OPTIONS, **dict.fromkeys(_PLAIN, (_plain, 1, 1)),
}  # fmt: skip
"""What evaluates a call, and how many arguments it takes."""
_SPELLED = frozenset({
    "power", "matmul", "multiply", "transpose", "applyoutput", "clamp", "arange", "dropout", "itself", "add_all",
})  # fmt: skip
"""What only spells an operation, as programs do."""
_OURS = (_SPELLED | {*_TABLE}) - {"attention"}


def _spelled(tree: Node) -> Node:
    """Return the operation that a call spells; raises UnreadableError where it is called otherwise."""
    match tree.name, tree.parts, tree.options:
        case "power", (a, b), ():
            return node("^", a, b)
        case "matmul" | "multiply", (a, b), ():
            return node("*" if tree.name == "matmul" else "⊙", a, b)
        case "matmul", (a, b), (("transpose_b", Node(name="True")),):
            return node("*", a, node("T", b))
        case "transpose", (a, *axes), () if all(axis.op in {"num", "neg"} for axis in axes):
            return node("T", a)
        case "applyoutput", (a,), ():  # the output projection, called as a layer
            return node("*", a, sym("W^O"))
        case ("clamp", (a, low), ()) | ("clamp", (a,), (("min", low),)) if low == num(0):
            return call("relu", a)
        case "arange", (low, _, step), () if (low, step) == (num(0), num(2)):  # the even columns
            return node("*", num(2), sym("i"))
        case "dropout" | "itself", (a, *_), _:
            return a
        case "add_all", (_, *_), _:
            return reduce(partial(node, "+"), tree.parts)
    raise UnreadableError(f"“{tree.name}” is called in a way that is not understood.")


def _call(tree: Node, scope: Scope) -> Value:
    """Evaluate a call: the student's own function, a known one, or a sublayer the world allows."""
    own = scope.definitions.get(f"{tree.name}()")
    if own is not None:
        if len(own.names) != len(tree.parts) or tree.options:
            raise UnreadableError(f"“{tree.name}” is called in another way than it is defined.")
        values = {name: evaluate(part, scope) for name, part in zip(own.names, tree.parts, strict=True)}
        return evaluate(own.body, scope.inside(bound=values))
    if tree.name in _SPELLED:
        return evaluate(_spelled(tree), scope)
    layers = "sublayers" in scope.world.ranges
    if tree.name in scope.world.symbols and tree.name not in _TABLE and not layers:
        raise UnreadableError(f"“{tree.name}” is a symbol here, not a function.")
    if layers and tree.name not in _OURS:
        return _named(tree, scope)
    if tree.name not in _TABLE:
        raise UnknownNameError(tree.name)
    known, least, most = _TABLE[tree.name]
    if not least <= len(tree.parts) <= most or (tree.options and tree.name not in _WITH_OPTIONS):
        raise UnreadableError(f"“{tree.name}” is called in a way that is not understood.")
    return known(tree, scope)


def scope_of(world: World, definitions: Mapping[str, Definition]) -> Scope:
    """Return the scope to evaluate a tree in, with all the functions above."""
    return Scope(world, definitions, call=_call)


def sublayers(tree: Node) -> list[str]:
    """Return the names called in a tree that are none of ours, in a stable order."""
    return sorted({part.name for part in walk(tree) if part.op == "call" and part.name not in _OURS})
