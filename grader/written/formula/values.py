"""Evaluate a tree on typed random arrays: products never commute and shapes must fit."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from grader.written.formula.tree import (
    Add,
    Call,
    Div,
    Dots,
    FormulaError,
    Mul,
    Neg,
    Node,
    Num,
    Pow,
    Seq,
    ShapeError,
    Sum,
    Sym,
    Transpose,
    UnknownNameError,
    UnreadableError,
    walk,
)

Array = NDArray[np.float64]
Value = float | Array
MAX_STEPS = 4000
MAX_RANGE = 64


@dataclass(frozen=True, slots=True)
class Definition:
    """What the student put behind a name: its index letters or parameters, and its body."""

    names: tuple[str, ...]
    body: Node


@dataclass(frozen=True)
class World:
    """One sampling point: arrays and numbers by name, families by index, and the axis features lie on."""

    symbols: Mapping[str, Value]
    families: Mapping[str, tuple[Value, ...]] = field(default_factory=dict)
    axis: int = 1  # rows are samples (1), or columns are (0)
    free: int = 1  # the number an unbound index stands for
    ranges: Mapping[str, int] = field(default_factory=dict)
    square: bool = False
    entries: bool = False  # x is one vector whose entries may be written out
    norm: str = ""  # how LayerNorm is spelled out: x is then one vector, and products go entry by entry


def _no_function(node: Call, _scope: Scope) -> Value:
    raise UnknownNameError(node.name)


@dataclass(frozen=True)
class Scope:
    """What a tree is evaluated in; `call` evaluates functions (functions.scope_of gives ours)."""

    world: World
    definitions: Mapping[str, Definition]
    bound: Mapping[str, Value] = field(default_factory=dict)
    indices: Mapping[str, int] = field(default_factory=dict)
    call: Callable[[Call, Scope], Value] = field(default=_no_function)
    depth: int = 0
    steps: list[int] = field(default_factory=lambda: [0])

    def tick(self) -> None:
        """Count one step; raise UnreadableError where a formula asks for absurdly many."""
        self.steps[0] += 1
        if self.steps[0] > MAX_STEPS or self.depth > 30:  # noqa: PLR2004 - definitions inside definitions
            raise UnreadableError("The formula takes too many steps to evaluate.")


def evaluate(node: Node, scope: Scope) -> Value:  # noqa: C901, PLR0911 - a node, a line
    """Return the value of `node`: a float, a vector `(d,)` or a matrix `(n, d)`.

    Raises ShapeError, UnknownNameError or UnreadableError.
    """
    scope.tick()
    match node:
        case Num(value=number):
            return number
        case Sym():
            return _symbol(node, scope)
        case Neg(body=body):
            return -evaluate(body, scope)
        case Add(left=a, right=b, minus=minus):
            right = evaluate(b, scope)
            return add(evaluate(a, scope), -right if minus else right, scope)
        case Mul(left=a, right=b, entrywise=entrywise):
            return multiply(evaluate(a, scope), evaluate(b, scope), entrywise=entrywise or bool(scope.world.norm))
        case Div(left=a, right=b):
            return divide(evaluate(a, scope), evaluate(b, scope))
        case Pow(base=a, exponent=b):
            return power(evaluate(a, scope), evaluate(b, scope), entrywise=bool(scope.world.norm))
        case Transpose(body=body):
            value = evaluate(body, scope)
            return value.T if isinstance(value, np.ndarray) else value
        case Call():
            return scope.call(node, scope)
        case Sum():
            return _total(node, scope)
        case Seq() | Dots():
            raise UnreadableError("A list stands where a value was expected.")


def _finite(value: Value) -> Value:
    if isinstance(value, float) and not math.isfinite(value):
        raise UnreadableError("A value grows beyond all bounds.")
    return value


def add(a: Value, b: Value, scope: Scope) -> Value:
    """Add values of the same shape; a bias may be spread over the samples."""
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        if a.shape == b.shape or _is_bias(a, b, scope) or _is_bias(b, a, scope):
            return np.asarray(a + b)
        raise ShapeError(f"Shapes {a.shape} and {b.shape} cannot be added.")
    if (isinstance(a, np.ndarray) or isinstance(b, np.ndarray)) and not scope.world.norm:
        raise ShapeError("A number and a matrix cannot be added.")
    return a + b


def _is_bias(big: Array, small: Array, scope: Scope) -> bool:
    axis = scope.world.axis
    return big.ndim == small.ndim == 2 and small.shape[1 - axis] == 1 and big.shape[axis] == small.shape[axis]  # noqa: PLR2004


def multiply(a: Value, b: Value, *, entrywise: bool = False) -> Value:
    """Multiply as matrices; vectors give their inner product."""
    if not isinstance(a, np.ndarray) or not isinstance(b, np.ndarray):
        return _finite(a * b)
    if entrywise:
        if a.shape != b.shape:
            raise ShapeError(f"Shapes {a.shape} and {b.shape} do not fit entry by entry.")
        return np.asarray(a * b)
    if a.shape[-1] != b.shape[0]:
        raise ShapeError(f"Shapes {a.shape} and {b.shape} cannot be multiplied.")
    product = a @ b
    return float(product) if np.ndim(product) == 0 else np.asarray(product)


def divide(a: Value, b: Value) -> Value:
    """Divide by a number; a matrix is divided entry by entry only by a column of its row sums."""
    if isinstance(b, np.ndarray):
        if isinstance(a, np.ndarray) and a.ndim == b.ndim == 2 and b.shape in {(a.shape[0], 1), (1, a.shape[1])}:  # noqa: PLR2004
            return np.asarray(a / b)
        raise ShapeError("Division by a matrix.")
    if b == 0:
        raise UnreadableError("Division by zero.")
    return _finite(a / b)


def power(a: Value, b: Value, *, entrywise: bool = False) -> Value:
    """Raise a number to a number; entry by entry, a vector to its square."""
    if entrywise and isinstance(a, np.ndarray) and b == 2.0:  # noqa: PLR2004
        return np.asarray(a * a)
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        raise ShapeError("A power of a matrix, or a matrix in an exponent.")
    try:
        result = a**b
    except (OverflowError, ZeroDivisionError):
        raise UnreadableError("A power grows beyond all bounds.") from None
    if isinstance(result, complex):
        raise UnreadableError("A root of a negative number.")
    return _finite(float(result))


def whole_index(node: Node, scope: Scope) -> int:
    """Return the value of an index: a number, a running index, the number of heads, or the free index."""
    match node:
        case Num(value=number):
            return int(number)
        case Sym(name=name, index=()):
            if name in scope.indices:
                return scope.indices[name]
            known = scope.world.ranges.get(name)
            return known if known is not None else scope.world.free
        case Add(left=a, right=b, minus=minus):
            return whole_index(a, scope) + (-1 if minus else 1) * whole_index(b, scope)
        case _:
            raise UnreadableError("An index that is not a number or a letter.")


def _symbol(node: Sym, scope: Scope) -> Value:  # noqa: C901, PLR0911, PLR0912 - where a name may be found, in order
    name, index = node.name, node.index
    running = len(index) == 1 and isinstance(index[0], Sym) and index[0].name in scope.indices
    if (scope.world.norm and len(index) == 1) or (scope.world.entries and running):
        return _component(node, scope)
    if len(index) == 2 and any(isinstance(part, Sym) and part.name in scope.indices for part in index):  # noqa: PLR2004
        entry = _entry(node, scope)
        if entry is not None:
            return entry
    if name in scope.bound and not index:
        return scope.bound[name]
    found = scope.definitions.get(f"{name}/{len(index)}")
    if found is None and index:
        plain = scope.definitions.get(f"{name}/0")
        fixed = all(isinstance(part, Num) for part in index)
        found = plain if plain is not None and not fixed and name not in scope.world.families else None
        if found is not None:
            value = evaluate(found.body, replace(scope, depth=scope.depth + 1))
            if running and isinstance(value, np.ndarray) and value.ndim == 1:
                return _nth(value, whole_index(index[0], scope), name)
            return value
    if found is not None:
        return evaluate(found.body, _indexed(scope, found.names, index))
    if not index:
        if name in scope.indices:
            return float(scope.indices[name])
        if f"{name}/2" in scope.definitions and {"q", "k"} <= set(scope.world.families):
            return _assembled(name, scope)
        if name in scope.world.symbols:
            return scope.world.symbols[name]
        raise UnknownNameError(name)
    family = scope.world.families.get(name)
    if family is None or len(index) > 1:
        if name in scope.world.symbols and not any(isinstance(part, Num) for part in index):
            return scope.world.symbols[name]
        raise UnknownNameError(f"{name}_{'ij' if len(index) > 1 else 'i'}")
    number = whole_index(index[0], scope)
    if not 1 <= number <= len(family):
        raise UnreadableError(f"The index {number} lies outside the range.")
    return family[number - 1]


def _assembled(name: str, scope: Scope) -> Value:
    """Return the matrix of scores or weights whose entries the student defines: P from P_ij."""
    entries = scope.definitions[f"{name}/2"]
    rows, columns = len(scope.world.families["q"]), len(scope.world.families["k"])
    found = []
    for row in range(1, rows + 1):
        for column in range(1, columns + 1):
            at = dict(zip(entries.names, (row, column), strict=True))
            found.append(evaluate(entries.body, replace(scope, indices={**scope.indices, **at}, depth=scope.depth + 1)))
    if any(isinstance(value, np.ndarray) for value in found):
        raise ShapeError(f"The entries of {name} are no numbers.")
    return np.array(found, dtype=np.float64).reshape(rows, columns)


def _component(node: Sym, scope: Scope) -> Value:
    """Return the entry z_i of the one vector z, in a world where LayerNorm is spelled out."""
    if f"{node.name}/1" in scope.definitions:
        body = scope.definitions[f"{node.name}/1"]
        return evaluate(body.body, _indexed(scope, body.names, node.index))
    whole = _symbol(Sym(node.name), scope)
    if not isinstance(whole, np.ndarray):
        return whole
    return _nth(whole, whole_index(node.index[0], scope), node.name)


def _nth(vector: Array, at: int, name: str) -> float:
    """Return one entry of a vector, counted from one."""
    if vector.ndim != 1 or not 1 <= at <= len(vector):
        raise ShapeError(f"{name} has no entry {at}.")
    return float(vector[at - 1])


def _entry(node: Sym, scope: Scope) -> float | None:
    """Return the entry A_ij of a matrix where an index runs; None where A is no matrix of its own."""
    plain = scope.definitions.get(f"{node.name}/0")
    if f"{node.name}/2" in scope.definitions or (plain is None and node.name not in scope.world.symbols):
        return None
    matrix = scope.world.symbols[node.name] if plain is None else None
    if plain is not None:
        matrix = evaluate(plain.body, replace(scope, indices={}, depth=scope.depth + 1))
    if not isinstance(matrix, np.ndarray) or matrix.ndim != 2:  # noqa: PLR2004
        return None
    row, column = (whole_index(part, scope) for part in node.index)
    if not (1 <= row <= matrix.shape[0] and 1 <= column <= matrix.shape[1]):
        raise ShapeError(f"{node.name} has no entry {row}, {column}.")
    return float(matrix[row - 1, column - 1])


def _indexed(scope: Scope, names: tuple[str, ...], index: tuple[Node, ...]) -> Scope:
    """Return the scope of a definition's body: a letter with a value of its own (i of the encoding) keeps it."""
    numbers, values = dict(scope.indices), dict(scope.bound)
    for letter, part in zip(names, index, strict=True):
        if isinstance(part, Sym) and not part.index and part.name not in numbers and part.name in scope.world.symbols:
            values[letter] = scope.world.symbols[part.name]
        else:
            numbers[letter] = whole_index(part, scope)
    return replace(scope, indices=numbers, bound=values, depth=scope.depth + 1)


def free_letters(node: Node) -> set[str]:
    """Return the single letters used as indices anywhere in a tree."""
    return {
        part.name
        for inner in walk(node)
        if isinstance(inner, Sym) or (isinstance(inner, Call) and inner.name == "entry")
        for index in (inner.index if isinstance(inner, Sym) else inner.args[1:])
        for part in walk(index)
        if isinstance(part, Sym)
    }


def run_of(node: Sum, scope: Scope) -> range:
    """Return the numbers a running index takes."""
    low = 1 if node.low is None else whole_index(node.low, scope)
    if low not in {0, 1} or (low == 0 and (node.high is None or isinstance(node.high, Num))):
        raise UnreadableError("A sum that does not begin at 1.")
    count = _upper(node, scope) + 1 - low  # from 0 to h − 1 are h terms as well
    if count > MAX_RANGE:
        raise UnreadableError("A sum over too long a range.")
    return range(1, count + 1)


def _upper(node: Sum, scope: Scope) -> int:  # noqa: PLR0911 - a kind of limit, a line
    if node.high is not None:
        known = isinstance(node.high, Sym) and node.high.name in scope.world.ranges
        if known and isinstance(node.high, Sym):
            return scope.world.ranges[node.high.name]
        heads = scope.world.ranges.get("h")
        if node.joins and heads and isinstance(node.high, Sym) and len(node.high.name) == 1 and not node.high.index:
            return heads
        if node.joins and heads and node.high in (Num(8.0), Num(16.0)):
            return heads  # the paper's numbers of heads
        if _is_length(node, scope):
            return _upper(replace(node, high=None), scope)
        value = evaluate(node.high, scope)
        if not isinstance(value, float | int) or not 1 <= value <= MAX_RANGE:
            raise UnreadableError("The upper limit of the sum is not a number.")
        return int(value)
    sizes = {
        len(scope.world.families[part.name])
        for part in walk(node.body)
        if isinstance(part, Sym) and part.name in scope.world.families and Sym(node.var) in part.index
    }
    if scope.world.entries and not sizes:
        sizes = _written_sizes(node, scope)
    default = int(np.size(scope.world.symbols["x"])) if scope.world.norm else scope.world.ranges.get("default")
    if len(sizes) == 1:
        return sizes.pop()
    if default is None:
        raise UnreadableError("The range of the sum is not given.")
    return default


def _is_length(node: Sum, scope: Scope) -> bool:
    """Say whether the upper limit is a name of the student's own for how many there are: S, T_k, n_src."""
    high = node.high
    known = isinstance(high, Sym) and (
        high.name in scope.world.symbols or f"{high.name}/{len(high.index)}" in scope.definitions
    )
    if isinstance(high, Call) and high.name == "abs" and isinstance(high.args[0], Sym):
        return True  # |K|, how many keys there are
    return isinstance(high, Sym) and not known and bool(re.match(r"[A-Z]|[nlm]_", high.name))


def _written_sizes(node: Sum, scope: Scope) -> set[int]:
    """Return the sizes of the axes that a running index counts, as i and j of (W_1)_{ij} do."""
    found = set()
    for part in walk(node.body):
        if isinstance(part, Call) and part.name == "entry" and Sym(node.var) in part.args[1:]:
            found.add(np.shape(evaluate(part.args[0], scope))[part.args.index(Sym(node.var)) - 1])
        elif isinstance(part, Sym) and part.index == (Sym(node.var),) and part.name in scope.world.symbols:
            found.add(np.size(scope.world.symbols[part.name]))
    return found


def _total(node: Sum, scope: Scope) -> Value:
    if node.joins:
        raise UnreadableError("A list stands where a value was expected.")
    total: Value | None = None
    for number in run_of(node, scope):
        inner = replace(scope, indices={**scope.indices, node.var: number}, depth=scope.depth + 1)
        value = evaluate(node.body, inner)
        total = value if total is None else add(total, value, scope)
    if total is None:
        raise UnreadableError("An empty sum.")
    return total


__all__ = ["Array", "Definition", "FormulaError", "Scope", "Value", "World", "evaluate"]
