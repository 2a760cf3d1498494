"""Evaluate a tree on typed random arrays: products never commute and shapes must fit."""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from grader.written.formula.errors import ShapeError, UnknownNameError, UnreadableError
from grader.written.formula.meant import Definition
from grader.written.formula.tree import NOTHING, Node, num, sym, walk

Array = NDArray[np.float64]
Value = float | Array
MAX_STEPS = 4000
MAX_RANGE = 64
MAX_DEPTH = 30  # definitions inside definitions


@dataclass(frozen=True)
class World:
    """One sampling point: arrays and numbers by name, families by index, and the axis features lie on."""

    symbols: Mapping[str, Value]
    families: Mapping[str, tuple[Value, ...]] = field(default_factory=dict)
    axis: int = 1  # rows are samples (1), or columns are (0)
    free: int = 1  # the number an unbound index stands for
    ranges: Mapping[str, int] = field(default_factory=dict)
    square: bool = False
    weights: Array | None = None  # the odds of all outcomes, where symbols are random quantities (chance.py)


def _no_function(tree: Node, _scope: Scope) -> Value:
    raise UnknownNameError(tree.name)


@dataclass(frozen=True)
class Scope:
    """What a tree is evaluated in; `call` evaluates functions (functions.scope_of gives ours)."""

    world: World
    definitions: Mapping[str, Definition]
    bound: Mapping[str, Value] = field(default_factory=dict)
    indices: Mapping[str, int] = field(default_factory=dict)
    call: Callable[[Node, Scope], Value] = field(default=_no_function)
    depth: int = 0
    steps: list[int] = field(default_factory=lambda: [0])

    def tick(self) -> None:
        """Count one step; raise UnreadableError where a formula asks for absurdly many."""
        self.steps[0] += 1
        if self.steps[0] > MAX_STEPS or self.depth > MAX_DEPTH:
            raise UnreadableError("The formula takes too many steps to evaluate.")

    def inside(self, indices: Mapping[str, int] | None = None, bound: Mapping[str, Value] | None = None) -> Scope:
        """Return the scope one level down, with indices set and more names bound."""
        known, at = {**self.bound, **(bound or {})}, {**self.indices, **(indices or {})}
        return replace(self, bound=known, indices=at, depth=self.depth + 1)


def evaluate(tree: Node, scope: Scope) -> Value:
    """Return the value of `tree`: a float, a vector `(d,)` or a matrix `(n, d)`.

    Raises ShapeError, UnknownNameError or UnreadableError.
    """
    scope.tick()
    match tree.op:
        case "num":
            return tree.value
        case "sym":
            return _symbol(tree, scope)
        case "call":
            return scope.call(tree, scope)
        case "sum":
            terms = [evaluate(tree[0], inner) for inner in running(tree, scope)]
            total = terms[0]
            for term in terms[1:]:
                total = add(total, term, scope.world)
            return total
        case "list" | "dots" | "join":
            raise UnreadableError("A list stands where a value was expected.")
    values = [evaluate(part, scope) for part in reversed(tree.parts)][::-1]  # an unknown name before a misfit
    random = scope.world.weights is not None
    match tree.op:
        case "neg":
            return -values[0]
        case "T":
            return values[0].T if isinstance(values[0], np.ndarray) and not random else values[0]
        case "+" | "-":
            return add(values[0], values[1] if tree.op == "+" else -values[1], scope.world)
        case "*" | "⊙":
            if random:  # two vectors give their dot product
                product = np.asarray(values[0] * values[1])
                return product.sum(axis=0) if all(np.ndim(value) == 2 for value in values) else product[()]
            return multiply(*values, entrywise=tree.op == "⊙")
        case "/" | "<":
            return (divide if tree.op == "/" else below)(*values)
    return power(*values)


def finite(value: float) -> float:
    """Return a number that is one."""
    if not math.isfinite(value):
        raise UnreadableError("A value grows beyond all bounds.")
    return float(value)


def add(a: Value, b: Value, world: World) -> Value:
    """Add values of the same shape; a bias may be spread over the samples."""
    if np.ndim(a) and np.ndim(b):
        shapes = np.shape(a), np.shape(b)
        big, small = sorted(shapes, key=lambda shape: shape[1 - world.axis] if len(shape) > 1 else 0, reverse=True)
        one = [at for at in (0, 1) if len(big) == len(small) == 2 and small[at] == 1]
        spread = len(one) == 1 and big[1 - one[0]] == small[1 - one[0]]
        if big != small and not spread:
            raise ShapeError(f"Shapes {shapes[0]} and {shapes[1]} cannot be added.")
    elif (np.ndim(a) or np.ndim(b)) and world.weights is None:
        raise ShapeError("A number and a matrix cannot be added.")
    return a + b


def multiply(a: Value, b: Value, *, entrywise: bool = False) -> Value:
    """Multiply as matrices; vectors give their inner product."""
    if not isinstance(a, np.ndarray) or not isinstance(b, np.ndarray):
        return a * b if np.ndim(a) or np.ndim(b) else finite(float(a * b))
    if entrywise and a.shape != b.shape:
        raise ShapeError(f"Shapes {a.shape} and {b.shape} do not fit entry by entry.")
    if not entrywise and a.shape[-1] != b.shape[0]:
        raise ShapeError(f"Shapes {a.shape} and {b.shape} cannot be multiplied.")
    result = a * b if entrywise else a @ b
    return float(result) if np.ndim(result) == 0 else np.asarray(result)


def divide(a: Value, b: Value) -> Value:
    """Divide by a number; a matrix is divided entry by entry only by a column of its row sums."""
    if isinstance(b, np.ndarray):
        if np.ndim(a) == b.ndim == 2 and b.shape in {(np.shape(a)[0], 1), (1, np.shape(a)[1])}:
            return np.asarray(a / b)
        raise ShapeError("Division by a matrix.")
    if b == 0:
        raise UnreadableError("Division by zero.")
    return a / b if isinstance(a, np.ndarray) else finite(a / b)


def below(a: Value, b: Value) -> Value:
    """Return 1 where a is below b and 0 elsewhere; arrays are compared with arrays of their shape, or with a number."""
    if np.ndim(a) and np.ndim(b) and np.shape(a) != np.shape(b):
        raise ShapeError("What is compared has different shapes.")
    found = np.asarray(np.less(a, b), dtype=np.float64)
    return found if found.ndim else float(found)


def power(a: Value, b: Value) -> Value:
    """Raise a number to a number; of a random number, its square."""
    if isinstance(a, np.ndarray) and a.ndim == 1 and not np.ndim(b) and b in {1.0, 2.0, 4.0}:
        return np.asarray(a**b)
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        raise ShapeError("A power of a matrix, or a matrix in an exponent.")
    try:
        result = a**b
    except (OverflowError, ZeroDivisionError):
        raise UnreadableError("A power grows beyond all bounds.") from None
    if isinstance(result, complex):
        raise UnreadableError("A root of a negative number.")
    return finite(result)


# ---------------------------------------------------------------------------------------------- symbols, indices


def whole_index(tree: Node, scope: Scope) -> int:
    """Return the value of an index: a number, a running index, the number of heads, or the free index."""
    if tree.op == "num":
        return int(tree.value)
    if tree.op == "sym" and not tree.parts:
        return scope.indices.get(tree.name, scope.world.ranges.get(tree.name, scope.world.free))
    if tree.op in {"+", "-"}:
        a, b = (whole_index(part, scope) for part in tree.parts)
        return a + b if tree.op == "+" else a - b
    raise UnreadableError("An index that is not a number or a letter.")


def entry_of(value: Value, at: list[int], name: str) -> Value:
    """Return the entry of a vector or matrix, or one row of a matrix; counted from one."""
    shape = np.shape(value)
    if not shape or len(at) > len(shape) or any(not 1 <= n <= size for n, size in zip(at, shape, strict=False)):
        raise ShapeError(f"{name} has no entry {at}.")
    entry = np.asarray(value)[tuple(n - 1 for n in at)]
    return float(entry) if np.ndim(entry) == 0 else np.asarray(entry)


def _symbol(tree: Node, scope: Scope) -> Value:
    """Return the value of a symbol: what is bound, what the student defines, what the world holds."""
    name, index, world = tree.name, tree.parts, scope.world
    runs = [part.op == "sym" and part.name in scope.indices for part in index]
    if not index and name in scope.bound:
        return scope.bound[name]
    own = scope.definitions.get(f"{name}/{len(index)}")
    if own is not None:
        return evaluate(own.body, _indexed(own.names, index, scope))
    plain = scope.definitions.get(f"{name}/0")
    if len(index) == 2 and any(runs) and (plain or name in world.symbols):
        matrix = (
            evaluate(plain.body, replace(scope, indices={}, depth=scope.depth + 1)) if plain else world.symbols[name]
        )
        if np.ndim(matrix) == 2:
            return entry_of(matrix, [whole_index(part, scope) for part in index], name)
    if index and plain and name not in world.families and any(part.op != "num" for part in index):
        whole = evaluate(plain.body, scope.inside())
        return (
            entry_of(whole, [whole_index(index[0], scope)], name) if runs == [True] and np.ndim(whole) == 1 else whole
        )
    if not index and name in scope.indices and world.weights is None:
        return float(scope.indices[name])
    family = world.families.get(name) if len(index) == 1 else None
    if family is not None:
        number = whole_index(index[0], scope)
        if not 1 <= number <= len(family):
            raise UnreadableError(f"The index {number} lies outside the range.")
        return family[number - 1]
    if name in world.symbols and all(part.op != "num" for part in index):
        return world.symbols[name]
    raise UnknownNameError(name + ("", "_i", "_ij")[min(len(index), 2)])


def _indexed(names: tuple[str, ...], index: tuple[Node, ...], scope: Scope) -> Scope:
    """Return the scope of a definition's body: a letter with a value of its own (i of the encoding) keeps it."""
    numbers, values = {}, {}
    for letter, part in zip(names, index, strict=True):
        if part.op == "sym" and not part.parts and part.name not in scope.indices and part.name in scope.world.symbols:
            values[letter] = scope.world.symbols[part.name]
        else:
            numbers[letter] = whole_index(part, scope)
    return scope.inside(numbers, values)


# --------------------------------------------------------------------------------------------------------- sums


def running(tree: Node, scope: Scope) -> Iterator[Scope]:
    """Yield the scope of each term of a sum or list."""
    _, low, high = tree.parts
    first = 1 if low is NOTHING else whole_index(low, scope)
    if first not in {0, 1} or (first == 0 and high.op in {"", "num"}):
        raise UnreadableError("A sum that does not begin at 1.")
    count = _upper(tree, scope) + 1 - first  # from 0 to h − 1 are h terms as well
    if count > MAX_RANGE:
        raise UnreadableError("A sum over too long a range.")
    if count < 1:
        raise UnreadableError("An empty sum.")
    return (scope.inside({tree.name: number}) for number in range(1, count + 1))


def _upper(tree: Node, scope: Scope) -> int:
    """Return the upper limit of a running index."""
    high, world = tree[2], scope.world
    if high.op == "sym" and high.name in world.ranges:
        return world.ranges[high.name]
    letter = high.op == "sym" and len(high.name) == 1 and not high.parts
    if tree.op == "join" and "h" in world.ranges and (letter or high in {num(8), num(16)}):
        return world.ranges["h"]  # 8 and 16: the paper's numbers of heads
    if high is NOTHING or _is_length(high, scope):
        return _default(tree, scope)
    value = evaluate(high, scope)
    if np.ndim(value) or not 1 <= value <= MAX_RANGE or value % 1:
        raise UnreadableError("The upper limit of the sum is not a number.")
    return int(value)


def _is_length(high: Node, scope: Scope) -> bool:
    """Say whether the upper limit is a name of the student's own for how many there are: S, T_k, n_src, |K|."""
    if high.name == "abs" and high[0].op == "sym":
        return True
    known = high.name in scope.world.symbols or f"{high.name}/{len(high.parts)}" in scope.definitions
    return high.op == "sym" and not known and bool(re.match(r"[A-Z]|[nlm]_", high.name))


def _default(tree: Node, scope: Scope) -> int:
    """Return how many there are of what a running index counts."""
    world, var = scope.world, sym(tree.name)
    sizes = set()
    for part in walk(tree[0]):
        if part.op == "sym" and var in part.parts:
            whole = np.shape(world.symbols.get(part.name, 0.0))
            if len(part.parts) == 2 == len(whole):
                sizes.add(int(whole[part.parts.index(var)]))
            elif part.name in world.families:
                sizes.add(len(world.families[part.name]))
    if len(sizes) == 1:
        return sizes.pop()
    default = world.ranges.get("default")
    if default is None:
        raise UnreadableError("The range of the sum is not given.")
    return default


def soft(x: Array, axis: int) -> Array:
    """Softmax of `x` along `axis`."""
    raised = np.exp(x - x.max(axis=axis, keepdims=True))
    return np.asarray(raised / raised.sum(axis=axis, keepdims=True))


def opaque(name: str, x: Array, axis: int, place: int = 0) -> Array:
    """Return a fixed non-linear map of the features, one for each name: it stands for LayerNorm or a sublayer."""
    seed = zlib.crc32(f"{name}/{place}".encode())
    a, b, c = ((seed >> shift & 255) / 256 + 0.5 for shift in (0, 8, 16))
    return np.asarray(np.sin(a * x + c) + b * np.roll(x, 1, axis=axis) * x)


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
