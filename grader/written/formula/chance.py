"""The variance argument of section 3.2.1, computed exactly on small discrete distributions.

Every entry of q and k takes two values with mean 0 and variance 1, all independent; a random quantity is the
array of its values over all outcomes, so that mean and variance are finite sums and nothing is simulated.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product

import numpy as np

from grader.written.formula.tree import (
    Add,
    Call,
    Div,
    Mul,
    Neg,
    Node,
    Num,
    Pow,
    Sum,
    Sym,
    Transpose,
    UnknownNameError,
    UnreadableError,
    walk,
)
from grader.written.formula.values import Array

Random = float | Array  # a number, outcomes `(s,)`, or a random vector `(d, s)`


@dataclass(frozen=True)
class Chances:
    """All outcomes of q and k for one d_k, with their probabilities."""

    q: Array
    k: Array
    weights: Array
    numbers: Mapping[str, float]


@lru_cache(maxsize=8)
def chances(size: int, spread: bool) -> Chances:
    """Return the outcomes for d_k = `size`; with `spread` the standard deviations are not one."""
    first, second = (2.0, -0.5), (3.0, -1.0 / 3.0)  # values; their odds follow from the mean of zero
    odds = [1.0 / (1.0 + v[0] / -v[1]) for v in (first, second)]
    rows, weights = [], []
    for picks in product((0, 1), repeat=2 * size):
        values = [(first if at < size else second)[pick] for at, pick in enumerate(picks)]
        chance = math.prod(odds[at >= size] if pick == 0 else 1.0 - odds[at >= size] for at, pick in enumerate(picks))
        rows.append(values)
        weights.append(chance)
    table = np.array(rows).T
    scale_q, scale_k = (1.3, 1.7) if spread else (1.0, 1.0)
    numbers = {
        "d_k": float(size), "d_model": size * 5.5, "d_v": size * 1.37, "d_ff": size * 23.0, "h": 5.5,
        "sigma_q": scale_q, "sigma_k": scale_k, "pi": math.pi,
    }  # fmt: skip
    return Chances(table[:size] * scale_q, table[size:] * scale_k, np.array(weights), numbers)


@dataclass(frozen=True)
class Place:
    """Where an expression is evaluated: the outcomes, running indices and a step counter."""

    chances: Chances
    indices: Mapping[str, int]
    steps: list[int]


def mean(x: Random, at: Chances) -> Random:
    """Expected value; of a vector, entry by entry."""
    if not isinstance(x, np.ndarray):
        return x
    result = x @ at.weights
    return float(result) if np.ndim(result) == 0 else np.asarray(np.repeat(result[:, None], len(at.weights), axis=1))


def variance(x: Random, at: Chances) -> Random:
    """Return the variance; of a vector whose entries agree, that of one entry."""
    if not isinstance(x, np.ndarray):
        return 0.0
    if x.ndim == 2:  # noqa: PLR2004 - a vector
        found = [variance(row, at) for row in x]
        if not np.allclose([float(value) for value in found if not isinstance(value, np.ndarray)], found[0]):
            raise UnreadableError("The variance of a vector is not one number.")
        return found[0]
    centre = float(x @ at.weights)
    return float(((x - centre) ** 2) @ at.weights)


def times(a: Random, b: Random) -> Random:
    """Multiply; two vectors give their dot product."""
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray) and a.ndim == b.ndim == 2:  # noqa: PLR2004
        return np.asarray((a * b).sum(axis=0))
    return np.asarray(a * b) if isinstance(a, np.ndarray) or isinstance(b, np.ndarray) else a * b


def number(node: Node, place: Place) -> int:
    """Return the value of an index."""
    match node:
        case Num(value=value):
            return int(value)
        case Sym(name="d_k", index=()):
            return len(place.chances.q)
        case Sym(name=name, index=()):
            return place.indices.get(name, 1)
        case _:
            raise UnreadableError("An index that is not a number or a letter.")


def evaluate(node: Node, place: Place) -> Random:  # noqa: C901, PLR0911, PLR0912 - a node, a line
    """Evaluate an expression with random parts; raises FormulaError."""
    place.steps[0] += 1
    if place.steps[0] > 3000:  # noqa: PLR2004
        raise UnreadableError("The formula takes too many steps to evaluate.")
    match node:
        case Num(value=value):
            return value
        case Sym():
            return _symbol(node, place)
        case Neg(body=body):
            return times(-1.0, evaluate(body, place))
        case Transpose(body=body):
            return evaluate(body, place)
        case Add(left=a, right=b, minus=minus):
            x, y = evaluate(a, place), evaluate(b, place)
            _alike(x, y)
            return x - y if minus else x + y
        case Mul(left=a, right=b):
            return times(evaluate(a, place), evaluate(b, place))
        case Div(left=a, right=b):
            below = evaluate(b, place)
            if isinstance(below, np.ndarray) or below == 0:
                raise UnreadableError("Division by a random quantity or by zero.")
            return times(1.0 / below, evaluate(a, place))
        case Pow(base=a, exponent=b):
            return _power(evaluate(a, place), evaluate(b, place))
        case Sum():
            return _total(node, place)
        case Call():
            return _call(node, place)
        case _:
            raise UnreadableError("A list stands where a value was expected.")


def _alike(x: Random, y: Random) -> None:
    if np.ndim(x) and np.ndim(y) and np.shape(x) != np.shape(y):
        raise UnreadableError("A vector and a number are added.")


def _power(a: Random, b: Random) -> Random:
    if isinstance(b, np.ndarray) or (isinstance(a, np.ndarray) and (a.ndim != 1 or b not in {1.0, 2.0, 4.0})):
        raise UnreadableError("A power that is not understood here.")
    try:
        result = a**b
    except (OverflowError, ZeroDivisionError):
        raise UnreadableError("A power grows beyond all bounds.") from None
    if isinstance(result, complex) or not np.all(np.isfinite(result)):
        raise UnreadableError("A power grows beyond all bounds.")
    return result


def _symbol(node: Sym, place: Place) -> Random:
    at = place.chances
    vectors = {"q": at.q, "k": at.k}
    if node.name in vectors:
        vector = vectors[node.name]
        if not node.index:
            return vector
        if len(node.index) > 1:  # q_{ij}: one entry among independent ones
            return np.asarray(vector[0])
        entry = number(node.index[0], place)
        if not 1 <= entry <= len(vector):
            raise UnreadableError("The index lies outside the range.")
        return np.asarray(vector[entry - 1])
    if node.name == "sigma" and not node.index:
        return math.sqrt(at.numbers["sigma_q"] * at.numbers["sigma_k"])
    if node.name == "sigma" and len(node.index) == 1 and isinstance(node.index[0], Sym):
        return _named(f"sigma_{node.index[0].name}", at)
    return _named(node.name, at)


def _named(name: str, at: Chances) -> float:
    if name not in at.numbers:
        raise UnknownNameError(name)
    return at.numbers[name]


def _total(node: Sum, place: Place) -> Random:
    if node.joins:
        raise UnreadableError("A list stands where a value was expected.")
    high = len(place.chances.q) if node.high is None else evaluate(node.high, place)
    low = 1 if node.low is None else number(node.low, place)
    if isinstance(high, np.ndarray) or not 1 <= high <= 8 or low not in {0, 1}:  # noqa: PLR2004
        raise UnreadableError("The limits of the sum are not 1 to d_k.")
    total: Random = 0.0
    for entry in range(1, int(high) + 2 - low):  # from 0 to d_k − 1 are d_k terms as well
        total = total + evaluate(node.body, replace(place, indices={**place.indices, node.var: entry}))
    return total


def _call(node: Call, place: Place) -> Random:
    if len(node.args) != 1 or node.options:
        raise UnreadableError(f"“{node.name}” takes one argument.")
    if node.name == "sum":
        letters = sorted(
            part.name
            for inner in walk(node.args[0])
            if isinstance(inner, Sym)
            for part in inner.index
            if isinstance(part, Sym)
        )
        if not letters:
            return evaluate(node.args[0], place)
        return _total(Sum(letters[0], None, None, node.args[0]), place)
    x = evaluate(node.args[0], place)
    if node.name == "var":
        return variance(x, place.chances)
    if node.name == "std":
        spread = variance(x, place.chances)
        return math.sqrt(float(spread))
    if node.name == "mean":
        return mean(x, place.chances)
    if node.name == "sqrt" and not isinstance(x, np.ndarray) and x >= 0:
        return math.sqrt(x)
    raise UnreadableError(f"“{node.name}” is not understood here.")
