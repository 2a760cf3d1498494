"""The verdict on a chain such as Var(q·k) = … = d_k, section 3.2.1, computed exactly on small discrete distributions.

Every entry of q and k takes two values with mean 0 and variance 1, all independent; a random quantity is the
array of its values over all outcomes, so that mean and variance are finite sums and nothing is simulated: a random
number is `(s,)`, a random vector `(d, s)`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise, product

import numpy as np

from grader.written.formula.document import Document
from grader.written.formula.errors import AN_EVALUATION, ShapeError, UnreadableError
from grader.written.formula.kinds import FormulaVerdict, Slip, forms, named, review
from grader.written.formula.meant import Line
from grader.written.formula.tree import NOTHING, Node, index_letters, mapped, node, num, sym, walk
from grader.written.formula.values import Scope, Value, World, evaluate
from grader.written.formula.vocabulary import CHANCE

_SIZES = (2, 3, 4)
_UNITS = frozenset({0.0, 1.0})
Row = list[Value]


def judge_variance(document: Document, reading: str) -> FormulaVerdict:
    """Judge a chain such as Var(q·k) = … = d_k: every side must have the same value."""
    told: Row = []
    lines = _with_own_names(document.lines)
    numbers = any(side.op == "num" and side.value not in _UNITS for line in lines for side in line.sides)
    for line in lines:
        if line.left == "d_k" or (not line.left and line.sides[0].name == "d_k"):
            continue  # d_k = 64
        columns = [[_value(document, side, world_of(size)) for size in _SIZES] for side in line.sides]
        if (
            told
            and CHANCE.get(line.left) == "std"
            and all(_equal(column, [math.sqrt(value) for value in told]) for column in columns)
        ):
            continue
        if line.left:
            return review("It is not said what this is the variance of.", reading)
        about = _about_dot(line.sides, world_of(_SIZES[1]))
        for before, after in pairwise(columns):
            if _equal(before, after):
                continue
            slip = _slip(columns[0], after) if about else None
            if slip:
                return named(slip, reading)
            if document.doubts or numbers or len(lines) < len(document.lines):
                return review("One step does not hold as we read it; a person should look.", reading)
            return FormulaVerdict(
                "different", None, None, "The sides of the equation do not have the same value.", reading
            )
        if len(columns) > 1 and about and is_closed(line.sides[-1]):
            told = columns[-1]
    if told:
        reason = "Every side has the value of the argument in section 3.2.1."
        return FormulaVerdict("equal", None, None, reason, reading)
    return review("It is not said what the variance of the dot product is.", reading)


def _value(document: Document, side: Node, world: World) -> Value:
    scope = scope_of(world)
    try:
        return evaluate(side, scope)
    finally:
        document.work.add(scope.steps[0] + AN_EVALUATION)


def _equal(a: Row, b: Row) -> bool:
    return all(
        np.shape(x) == np.shape(y) and np.allclose(x, y, rtol=1e-9, atol=1e-12) for x, y in zip(a, b, strict=True)
    )


def _about_dot(sides: Sequence[Node], world: World) -> bool:
    """Say whether a chain is about the variance of the dot product, written whole or as a sum of its terms."""
    for part in (part for side in sides for part in walk(side)):
        if part.op == "call" and part.name in {"var", "std"} and is_dot(part[0], world):
            return True
        if part.op == "call" and part.name == "mean" and part[0].op == "^" and is_dot(part[0][0], world):
            return True
        if part.op == "sum" and any(inner.op == "call" and inner.name in {"var", "mean"} for inner in walk(part[0])):
            return True
    return False


def _with_own_names(lines: Sequence[Line]) -> list[Line]:
    """Return the lines with what a student calls s = q·k in the place of s."""
    known = {sym(name) for name in world_of(_SIZES[0]).symbols}
    told = {line.sides[0]: line.sides[1] for line in lines if len(line.sides) == 2 and line.sides[0].op == "sym"}
    own = {name: value for name, value in told.items() if name not in known and not name.parts}
    spread = {node("^", sym("sigma", sym(name)), num(2)): num(1) for name in "qk"}

    def change(part: Node) -> Node:
        both = part.op == "*" and part[1] in spread and part[0].op == "*" and part[0][1] in {*spread} - {part[1]}
        return part[0][0] if both else own.get(part, part)  # σ_q² σ_k², the variances of the entries, are one

    return [
        line.mapped(lambda side: mapped(side, change))
        for line in lines
        if line.sides[0] not in own and not {*line.sides} <= {*spread, num(1)}
    ]


_CLAIMED = {
    "root": ((1, 1), (1, 0.5)), "one": ((1, 1), (1, 0)), "square": ((1, 1), (1, 2)), "added": ((1, 1), (2, 1)),
    "model": ((1, 1), (5.5, 1)), "inverse": ((1, 1), (1, -1)), "not-squared": ((1, 0), (1, 0.5)),
    "scale": ((1, -1), (1, 0)),
}  # fmt: skip
"""What is true and what is claimed: a factor and the power of d_k."""


def _slip(true: Row, said: Row) -> Slip | None:
    if any(np.ndim(value) for value in (*true, *said)):
        return None
    for name, claim in _CLAIMED.items():
        rows = [[factor * size**power for size in _SIZES] for factor, power in claim]
        if np.allclose(true, rows[0]) and np.allclose(said, rows[1]):  # type: ignore[arg-type]
            return next(slip for slip in forms()["variance"].slips if slip.slots["says"] == name)
    return None


# ------------------------------------------------------------------------------------------------ random quantities

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
