"""The variance argument of section 3.2.1, computed exactly on small discrete distributions.

Every entry of q and k takes two values with mean 0 and variance 1, all independent; a random quantity is the
array of its values over all outcomes, so that mean and variance are finite sums and nothing is simulated: a random
number is `(s,)`, a random vector `(d, s)`.
"""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import product

import numpy as np

from grader.written.formula.errors import ShapeError, UnreadableError
from grader.written.formula.tree import NOTHING, Node, index_letters
from grader.written.formula.values import Scope, Value, World, evaluate

_FIRST, _SECOND = (2.0, -0.5), (3.0, -1.0 / 3.0)  # values of q's and of k's entries; the mean of zero gives their odds


@lru_cache(maxsize=8)
def world_of(size: int) -> World:
    """Return all outcomes of q and k for d_k = `size`."""
    sides = [_FIRST] * size + [_SECOND] * size
    picks = list(product((0, 1), repeat=2 * size))
    odds = [(-low / (high - low), high / (high - low)) for high, low in sides]
    table = np.array([[side[pick] for side, pick in zip(sides, row, strict=True)] for row in picks]).T
    weights = np.array([math.prod(odd[pick] for odd, pick in zip(odds, row, strict=True)) for row in picks])
    q, k = table[:size], table[size:]
    symbols: dict[str, Value] = {
        "d_k": float(size), "d_model": size * 5.5, "d_v": size * 1.37, "d_ff": size * 23.0, "h": 5.5, "q": q, "k": k,
    }  # fmt: skip
    ranges = {"d_k": size, "default": size}
    return World(symbols, {"q": tuple(q), "k": tuple(k)}, ranges=ranges, weights=weights)


def scope_of(world: World) -> Scope:
    """Return the scope of a random quantity."""
    return Scope(world, {}, call=_call)


def _call(tree: Node, scope: Scope) -> Value:
    weights = scope.world.weights
    if len(tree.parts) != 1 or tree.options or weights is None:
        raise UnreadableError(f"“{tree.name}” takes one argument.")
    if tree.name == "sum" and (letters := sorted(index_letters(tree[0]))):
        return evaluate(Node("sum", (tree[0], NOTHING, NOTHING), letters[0]), scope)
    x = evaluate(tree[0], scope)
    if np.ndim(x) == 2:
        raise UnreadableError("The variance or mean of a vector is read by a person.")
    if tree.name in {"var", "std"}:
        found = float(((x - x @ weights) ** 2) @ weights) if isinstance(x, np.ndarray) else 0.0
        return found if tree.name == "var" else math.sqrt(found)
    if tree.name == "mean":
        return float(x @ weights) if isinstance(x, np.ndarray) else x
    if tree.name == "sqrt" and not isinstance(x, np.ndarray) and x >= 0:
        return math.sqrt(x)
    raise UnreadableError(f"“{tree.name}” is not understood here.")


def is_dot(tree: Node, world: World) -> bool:
    """Say whether an expression is q·k up to a factor."""
    try:
        x = evaluate(tree, scope_of(world))
    except (ShapeError, UnreadableError):
        return False
    if not isinstance(x, np.ndarray) or x.ndim != 1:
        return False
    dot = (np.asarray(world.symbols["q"]) * np.asarray(world.symbols["k"])).sum(axis=0)
    factor = float(x @ dot) / float(dot @ dot)
    return factor != 0 and bool(np.allclose(x, factor * dot))


def is_closed(tree: Node) -> bool:
    """Say whether nothing random stands in an expression."""
    if tree.op == "sum" or (tree.op == "call" and tree.name in {"var", "mean", "std"}):
        return False
    return tree.name not in {"q", "k"} and (tree.op == "sym" or all(map(is_closed, tree.parts)))
