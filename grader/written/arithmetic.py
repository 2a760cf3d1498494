"""Plain arithmetic in a string, evaluated: figures, names that have a value, + - * / ** and sqrt."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping

LONGEST = 200
DEEPEST = 60
LARGEST_POWER = 64


def _power(base: float, exponent: float) -> float:
    if abs(exponent) > LARGEST_POWER:
        raise ValueError("an absurd power")
    return float(base**exponent)  # of a negative base, a complex number: a TypeError


_OPERATIONS: Mapping[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: _power,
}


def evaluate(text: str, at: Mapping[str, float] | None = None) -> float | None:
    """Return the value of an expression, with the values of its names ``at`` hand; None where it is none."""
    if len(text) > LONGEST:
        return None
    try:
        found = _value(ast.parse(text.strip(), mode="eval").body, at or {}, 0)
    except (SyntaxError, ValueError, TypeError, ArithmeticError, RecursionError, MemoryError):
        return None
    return found if math.isfinite(found) else None


def _value(node: ast.expr, at: Mapping[str, float], depth: int) -> float:
    if depth > DEEPEST:
        raise ValueError("nested too deeply")
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return float(number)
        case ast.Name(id=name) if name in at:
            return at[name]
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign, operand=inner):
            value = _value(inner, at, depth + 1)
            return -value if isinstance(sign, ast.USub) else value
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _OPERATIONS:
            return _OPERATIONS[type(sign)](_value(left, at, depth + 1), _value(right, at, depth + 1))
        case ast.Call(func=ast.Name(id="sqrt"), args=[inner], keywords=[]):
            return math.sqrt(_value(inner, at, depth + 1))
    raise ValueError("not plain arithmetic")


def closed(text: str) -> str:
    """Return a calculation without brackets at its ends that close or open nothing of it."""
    text = text.strip()
    while text.endswith(")") and text.count(")") > text.count("("):
        text = text[:-1].rstrip()
    while text.startswith("(") and text.count("(") > text.count(")"):
        text = text[1:].lstrip()
    while text.endswith("(") and text.count("(") > text.count(")"):
        text = text[:-1].rstrip()
    return text
