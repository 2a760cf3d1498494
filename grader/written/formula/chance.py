"""The variance argument of section 3.2.1, computed exactly on small discrete distributions.

Every entry of q and k takes two values with mean 0 and variance 1, all independent; a random quantity is the
array of its values over all outcomes, so that mean and variance are finite sums and nothing is simulated.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import product

import numpy as np

from grader.written.formula.tree import NOTHING, Node, UnknownNameError, UnreadableError, index_letters
from grader.written.formula.values import Array

Random = float | Array  # a number, outcomes `(s,)`, or a random vector `(d, s)`
MAX_STEPS = 3000
MAX_SUM = 8
_FIRST, _SECOND = (2.0, -0.5), (3.0, -1.0 / 3.0)  # values of q's and of k's entries; the mean of zero gives their odds


@dataclass(frozen=True)
class Place:
    """Where an expression is evaluated: all outcomes of q and k for one d_k, the numbers known, running indices."""

    q: Array
    k: Array
    weights: Array
    numbers: Mapping[str, float]
    indices: Mapping[str, int] = field(default_factory=dict)
    steps: list[int] = field(default_factory=lambda: [0])


@lru_cache(maxsize=8)
def _outcomes(size: int) -> tuple[Array, Array]:
    sides = [_FIRST] * size + [_SECOND] * size
    picks = list(product((0, 1), repeat=2 * size))
    odds = [(-low / (high - low), high / (high - low)) for high, low in sides]
    values = [[side[pick] for side, pick in zip(sides, row, strict=True)] for row in picks]
    weights = [math.prod(odd[pick] for odd, pick in zip(odds, row, strict=True)) for row in picks]
    return np.array(values).T, np.array(weights)


def place_of(size: int, *, spread: bool = False) -> Place:
    """Return the outcomes for d_k = `size`; with `spread` the standard deviations are not one."""
    values, weights = _outcomes(size)
    scale_q, scale_k = (1.3, 1.7) if spread else (1.0, 1.0)
    numbers = {
        "d_k": float(size), "d_model": size * 5.5, "d_v": size * 1.37, "d_ff": size * 23.0, "h": 5.5,
        "sigma_q": scale_q, "sigma_k": scale_k, "sigma": math.sqrt(scale_q * scale_k), "pi": math.pi,
    }  # fmt: skip
    return Place(values[:size] * scale_q, values[size:] * scale_k, weights, numbers)


def _mean(x: Array, weights: Array) -> Random:
    """Expected value; of a vector, entry by entry."""
    result = x @ weights
    return float(result) if x.ndim == 1 else np.repeat(result[:, None], len(weights), axis=1)


def _variance(x: Array, weights: Array) -> float:
    """Return the variance; of a vector whose entries agree, that of one entry."""
    if x.ndim == 2:
        found = [_variance(row, weights) for row in x]
        if not np.allclose(found, found[0]):
            raise UnreadableError("The variance of a vector is not one number.")
        return found[0]
    return float(((x - x @ weights) ** 2) @ weights)


def _times(a: Random, b: Random) -> Random:
    """Multiply; two vectors give their dot product."""
    return np.asarray(a * b).sum(axis=0) if np.ndim(a) == np.ndim(b) == 2 else a * b


def evaluate(tree: Node, place: Place) -> Random:  # noqa: PLR0912 - an operation, a branch
    """Evaluate an expression with random parts; raises FormulaError."""
    place.steps[0] += 1
    if place.steps[0] > MAX_STEPS:
        raise UnreadableError("The formula takes too many steps to evaluate.")
    match tree.op:
        case "num":
            return tree.value
        case "sym":
            return _symbol(tree, place)
        case "call":
            return _call(tree, place)
        case "sum":
            return _total(tree, place)
        case "T":
            return evaluate(tree[0], place)
        case "list" | "dots" | "join":
            raise UnreadableError("A list stands where a value was expected.")
    values = [evaluate(part, place) for part in tree.parts]
    match tree.op, values:
        case "neg", [a]:
            return -a
        case "*" | "⊙", [a, b]:
            return _times(a, b)
        case "/", [a, b]:
            if np.ndim(b) or b == 0:
                raise UnreadableError("Division by a random quantity or by zero.")
            return _times(1.0 / b, a)
        case "^", [a, b]:
            return _power(a, b)
    a, b = values
    if np.ndim(a) and np.ndim(b) and np.shape(a) != np.shape(b):
        raise UnreadableError("A vector and a number are added.")
    return a - b if tree.op == "-" else a + b


def _power(a: Random, b: Random) -> Random:
    if np.ndim(b) or np.ndim(a) == 2 or (np.ndim(a) and b not in {1.0, 2.0, 4.0}):
        raise UnreadableError("A power that is not understood here.")
    try:
        result = a**b
    except (OverflowError, ZeroDivisionError):
        result = math.inf
    if isinstance(result, complex) or not np.all(np.isfinite(result)):
        raise UnreadableError("A power grows beyond all bounds.")
    return result


def _number(tree: Node, place: Place) -> int:
    """Return the value of an index."""
    if tree.op == "num":
        return int(tree.value)
    if tree.op != "sym" or tree.parts:
        raise UnreadableError("An index that is not a number or a letter.")
    return len(place.q) if tree.name == "d_k" else place.indices.get(tree.name, 1)


def _symbol(tree: Node, place: Place) -> Random:
    vector = {"q": place.q, "k": place.k}.get(tree.name)
    if vector is not None and tree.parts:
        entry = _number(tree[0], place) if len(tree.parts) == 1 else 1  # q_{ij}: one entry among independent ones
        if not 1 <= entry <= len(vector):
            raise UnreadableError("The index lies outside the range.")
        return np.asarray(vector[entry - 1])
    name = tree.name
    if name == "sigma" and len(tree.parts) == 1 and tree[0].op == "sym":
        name = f"sigma_{tree[0].name}"
    if vector is None and name not in place.numbers:
        raise UnknownNameError(name)
    return vector if vector is not None else place.numbers[name]


def _total(tree: Node, place: Place) -> Random:
    body, low, high = tree.parts
    end = len(place.q) if high is NOTHING else evaluate(high, place)
    start = 1 if low is NOTHING else _number(low, place)
    if np.ndim(end) or not 1 <= end <= MAX_SUM or start not in {0, 1}:
        raise UnreadableError("The limits of the sum are not 1 to d_k.")
    total: Random = 0.0
    for entry in range(1, int(end) + 2 - start):  # from 0 to d_k − 1 are d_k terms as well
        total = total + evaluate(body, replace(place, indices={**place.indices, tree.name: entry}))
    return total


def _call(tree: Node, place: Place) -> Random:
    if len(tree.parts) != 1 or tree.options:
        raise UnreadableError(f"“{tree.name}” takes one argument.")
    if tree.name == "sum":
        letters = sorted(index_letters(tree[0]))
        return evaluate(Node("sum", (tree[0], NOTHING, NOTHING), letters[0]) if letters else tree[0], place)
    x = evaluate(tree[0], place)
    if tree.name in {"var", "std"}:
        found = _variance(x, place.weights) if isinstance(x, np.ndarray) else 0.0
        return found if tree.name == "var" else math.sqrt(found)
    if tree.name == "mean":
        return _mean(x, place.weights) if isinstance(x, np.ndarray) else x
    if tree.name == "sqrt" and not isinstance(x, np.ndarray) and x >= 0:
        return math.sqrt(x)
    raise UnreadableError(f"“{tree.name}” is not understood here.")


def is_dot(tree: Node, place: Place) -> bool:
    """Say whether an expression is q·k up to a factor."""
    try:
        x = evaluate(tree, place)
    except UnreadableError:
        return False
    if not isinstance(x, np.ndarray) or x.ndim != 1:
        return False
    dot = (place.q * place.k).sum(axis=0)
    factor = float(x @ dot) / float(dot @ dot)
    return factor != 0 and bool(np.allclose(x, factor * dot))


def is_closed(tree: Node) -> bool:
    """Say whether nothing random stands in an expression."""
    if tree.op == "sum" or (tree.op == "call" and tree.name in {"var", "mean", "std"}):
        return False
    return tree.name not in {"q", "k"} and (tree.op == "sym" or all(map(is_closed, tree.parts)))
