"""Calls that other notations are turned into: einsum over two matrices, a choice between two cases, one entry."""

from __future__ import annotations

import numpy as np

from grader.written.formula.tree import Call, ShapeError, Transpose, UnreadableError
from grader.written.formula.values import Scope, Value, evaluate, multiply, whole_index


def einsum(call: Call, scope: Scope) -> Value:
    """Multiply two matrices, each turned or not, as notation.products wrote it: einsumnt(A, B) is A B^T."""
    if len(call.args) != 2 or call.options:  # noqa: PLR2004
        raise UnreadableError("A product needs two factors.")
    turns = call.name.removeprefix("einsum")
    factors = [Transpose(arg) if turn == "t" else arg for arg, turn in zip(call.args, turns, strict=False)]
    result = multiply(evaluate(factors[0], scope), evaluate(factors[1], scope))
    return result.T if len(turns) > 2 and isinstance(result, np.ndarray) else result  # noqa: PLR2004


def entry(call: Call, scope: Scope) -> Value:
    """Return the entry of a vector or matrix in brackets, or one row of a matrix."""
    value = evaluate(call.args[0], scope)
    at = [whole_index(part, scope) for part in call.args[1:]]
    if not isinstance(value, np.ndarray) or len(at) > value.ndim:
        raise ShapeError("An entry of a number.")
    if any(not 1 <= number <= size for number, size in zip(at, value.shape, strict=False)):
        raise ShapeError(f"There is no entry {at}.")
    entry = value[tuple(number - 1 for number in at)]
    return float(entry) if np.ndim(entry) == 0 else np.asarray(entry)


def choose(call: Call, scope: Scope) -> Value:
    """Return the third argument where the first is below the second, else the fourth; entry by entry for arrays."""
    if len(call.args) != 4 or call.options:  # noqa: PLR2004
        raise UnreadableError("A choice needs a condition and two cases.")
    a, b, low, high = (evaluate(arg, scope) for arg in call.args)
    shapes = {np.shape(value) for value in (a, b, low, high)} - {()}
    if len(shapes) > 1:
        raise ShapeError("The cases have different shapes.")
    return np.where(np.asarray(a) < np.asarray(b), low, high) if shapes else (low if a < b else high)
