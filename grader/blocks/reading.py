"""From a trace to what a module is made of: attention, feed-forward and norm operations in the order of their use.

A tensor is known by its number of entries (see ``sizes``), by the class that owns it and by the function that it first
enters; its name is never needed.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from grader.blocks.sizes import Sizes

LINEAR = frozenset({"Linear", "LazyLinear", "Conv1d", "LazyConv1d", "NonDynamicallyQuantizableLinear"})
PRODUCTS = frozenset(
    {"linear", "matmul", "__matmul__", "__rmatmul__", "mm", "bmm", "einsum", "dot", "addmm", "tensordot", "conv1d"}
)
"""Functions that weights enter as matrices."""
_STATISTICS = ("running_mean", "running_var")
"""Buffers of torch's own batch norm: numbers that are kept, and no weights."""
_BIAS_FIRST = frozenset({"addmm", "baddbmm", "addcmul"})

MATRIX_FUNCTIONS = ("linear", "matmul", "mm", "bmm", "einsum", "embedding", "conv", "dot", "addmm")
"""What takes a tensor as a matrix or a table."""


@dataclass(frozen=True, slots=True)
class Tensor:
    """One parameter: its shape without axes of length 1, and the class of the module that owns it.

    ``row`` says which row is meant of a tensor that holds a vector for each of several norms.
    """

    name: str
    shape: tuple[int, ...]
    owner_class: str
    full_shape: tuple[int, ...]
    trained: bool = True
    row: int | None = None

    @property
    def label(self) -> str:
        """Its name, with the row where one is meant."""
        return self.name if self.row is None else f"{self.name}[{self.row}]"

    @property
    def owner(self) -> str:
        """Path of the module that owns it."""
        return self.name.rpartition(".")[0]

    @property
    def size(self) -> int:
        """Number of entries."""
        return math.prod(self.shape)


@dataclass(slots=True)
class Unit:
    """A matrix with its bias."""

    matrix: Tensor
    bias: Tensor | None = None


@dataclass(slots=True)
class Operation:
    """One operation: ``A`` attention (its units in order of first use), ``F`` feed-forward, ``N`` norm.

    A norm that multiplies by 1 + gain has ``gain_beyond_one``; gain and shift may be the rows of one tensor.
    """

    kind: str
    units: list[Unit] = field(default_factory=list)
    gain: Tensor | None = None
    shift: Tensor | None = None
    gain_beyond_one: bool = False

    @property
    def tensors(self) -> frozenset[str]:
        """Names of all tensors of the operation."""
        return frozenset(tensor.name for tensor in self._all())

    @property
    def labels(self) -> frozenset[str]:
        """The same, and which row of them is meant."""
        return frozenset(tensor.label for tensor in self._all())

    def _all(self) -> list[Tensor]:
        found = [t for unit in self.units for t in (unit.matrix, unit.bias)] + [self.gain, self.shift]
        return [t for t in found if t is not None]


@dataclass(slots=True)
class Material:
    """What a module is made of: operations in order of use, tables (with their functions) and learned positions."""

    operations: list[Operation] = field(default_factory=list)
    tables: list[tuple[Unit, str]] = field(default_factory=list)
    positions: list[Tensor] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    by_kind: bool = False

    @property
    def kinds(self) -> str:
        """The operations as one word: ``ANFN`` for an encoder layer."""
        return "".join(operation.kind for operation in self.operations)

    @property
    def groups(self) -> tuple[frozenset[str], ...]:
        """The tensors of each attention, in order."""
        return tuple(operation.tensors for operation in self.operations if operation.kind == "A")

    def arranged(self, kinds: str) -> list[Operation] | None:
        """The operations in the order of ``kinds``; None where these are others."""
        if kinds == self.kinds:
            return self.operations
        if not self.by_kind or sorted(kinds) != sorted(self.kinds):
            return None
        rows = {
            kind: iter([operation for operation in self.operations if operation.kind == kind]) for kind in set(kinds)
        }
        return [next(rows[kind]) for kind in kinds]


def tensors_of(inventory: Mapping[str, Any], sizes: Sizes, *, fixed_positions: bool = False) -> dict[str, Tensor]:
    """Return the parameters of an inventory by name, those of modules in plain lists too; shared ones once.

    Frozen ones that are constants of the module rather than weights are left out, as a buffer is: they keep the
    values that the module gave them.
    """
    found = [
        Tensor(
            row["name"],
            tuple(s for s in row["shape"] if s != 1) or (1,),
            row["owner_class"],
            tuple(row["shape"]),
            bool(row["requires_grad"]),
        )
        for row in (*inventory["parameters"], *inventory.get("hidden", ()))
        if row["same_as"] is None
    ]
    return {tensor.name: tensor for tensor in found if not _constant(tensor, sizes, fixed_positions)}


def unlearned(
    inventory: Mapping[str, Any], uses: Sequence[Sequence[str]], sizes: Sizes, *, fixed_positions: bool = False
) -> dict[str, Tensor]:
    """Return what a call uses as weights although it is a plain tensor or a buffer, by name.

    A matrix has to enter a product, a vector has to be as long as a bias or a gain; a table of positions counts only
    where it is to be learned.
    """
    entered: dict[str, set[str]] = {}
    for name, function in uses:
        entered.setdefault(name, set()).add(function)
    found = {}
    for row in inventory.get("unlearned", ()):
        if row["name"] in entered and not row["name"].endswith(_STATISTICS):
            shape = tuple(row["shape"])
            tensor = Tensor(row["name"], tuple(s for s in shape if s != 1) or (1,), "", shape, trained=False)
            table = kind_of(tensor, sizes) == "P" and not fixed_positions
            if table or _weighs(tensor, entered[row["name"]], sizes):
                found[tensor.name] = tensor
    return found


def without_tables(tensors: Mapping[str, Tensor], uses: Sequence[Sequence[str]], sizes: Sizes) -> dict[str, Tensor]:
    """Leave out frozen tables of positions of any length: they enter no product."""
    entered = {name for name, function in uses if function in PRODUCTS}

    def table(tensor: Tensor) -> bool:
        rows = len(tensor.shape) == 2 and tensor.shape[1] == sizes.d_model and tensor.shape[0] > sizes.max_len  # noqa: PLR2004
        return rows and not tensor.trained and tensor.name not in entered and kind_of(tensor, sizes) in "AF"

    used = {name for name, _ in uses}
    return {name: tensor for name, tensor in tensors.items() if name not in used or not table(tensor)}


def _weighs(tensor: Tensor, functions: set[str], sizes: Sizes) -> bool:
    kind = kind_of(tensor, sizes)
    if kind == "v":
        widths = {sizes.d_model, sizes.d_ff, sizes.d_k, 2 * sizes.d_model, 3 * sizes.d_model, sizes.tgt_vocab}
        return len(tensor.shape) == 1 and tensor.size in widths
    return kind == "T" or (kind in "AF" and not functions.isdisjoint(PRODUCTS))


def _constant(tensor: Tensor, sizes: Sizes, fixed_positions: bool) -> bool:
    """Whether a frozen tensor is a constant kept as a parameter: a factor, a mask, a table of positions."""
    if tensor.trained:
        return False
    kind = kind_of(tensor, sizes)
    if kind == "v":
        return len(tensor.shape) > 1 or tensor.size == 1
    return kind == "?" or (fixed_positions and kind == "P")


def read(tensors: Mapping[str, Tensor], uses: Sequence[Sequence[str]], sizes: Sizes) -> Material:
    """Read the order in which parameters entered torch functions as operations."""
    reader = _Reader(tensors, sizes)
    for name, function in _bias_last(uses):
        if name in tensors:
            reader.use(tensors[name], function)
    return reader.material


def taking_part(tensors: Mapping[str, Tensor], uses: Iterable[tuple[str, str]]) -> dict[str, Tensor]:
    """The arrays that a call is known to use: of those in the attributes of a numpy class the others are no weights."""
    used = {name for name, _ in uses}
    return {name: tensor for name, tensor in tensors.items() if name in used or not used}


def kind_of(tensor: Tensor, sizes: Sizes) -> str:
    """Say what a tensor can be: A, F, T (table or generator), P (learned positions), v (vector) or ? ."""
    d, size = sizes.d_model, tensor.size
    whole = {d * sizes.d_ff: "F", d * sizes.max_len: "P", d * sizes.src_vocab: "T", d * sizes.tgt_vocab: "T"}
    if size in whole:
        return whole[size]
    pieces, bias = d * sizes.d_k, tensor.shape in {(sizes.d_ff,), (2 * sizes.d_ff,)}  # however wide
    small = tensor.shape == (sizes.d_k, sizes.d_k)  # one for all heads, by mistake
    if small or (not bias and size in {k * pieces for k in (1, 2, 3)} | {k * d * d for k in (1, 2, 3, 4)}):
        return "A"
    if size == 2 * d * sizes.d_ff:  # a gate in one tensor with what it gates
        return "F"
    if bias or size < pieces:
        return "v"
    longer = len(tensor.shape) == 2 and tensor.shape[1] == d and tensor.shape[0] > sizes.max_len  # noqa: PLR2004 - rows and columns
    return "P" if longer else "?"


class _Reader:
    """Gathers operations while uses come in."""

    def __init__(self, tensors: Mapping[str, Tensor], sizes: Sizes) -> None:
        self.sizes, self.material = sizes, Material()
        self.matrices: dict[str, list[Tensor]] = {}
        for tensor in tensors.values():
            if kind_of(tensor, sizes) in "AFT":
                self.matrices.setdefault(tensor.owner, []).append(tensor)
        vectors = [tensor for tensor in tensors.values() if kind_of(tensor, sizes) == "v"]
        self.vectors = Counter(tensor.owner for tensor in vectors)
        self.forms = Counter((tensor.owner, tensor.shape) for tensor in vectors)
        self.taken: Counter[str] = Counter()
        self.units: dict[str, Unit] = {}
        self.last: Unit | None = None
        self.after_norm = False

    def use(self, tensor: Tensor, function: str) -> None:
        kind = kind_of(tensor, self.sizes)
        if kind == "v":
            self._vector(tensor, function)
        elif kind == "P":
            if tensor not in self.material.positions:
                self.material.positions.append(tensor)
        elif kind == "?":
            if tensor.name not in self.material.unknown:
                self.material.unknown.append(tensor.name)
        else:
            self._matrix(kind, self.units.setdefault(tensor.name, Unit(tensor)), function)

    def _matrix(self, kind: str, unit: Unit, function: str) -> None:
        self.last, self.after_norm = unit, False
        if kind == "T":
            if not self.material.tables or self.material.tables[-1][0] is not unit or "embedding" in function:
                self.material.tables.append((unit, function))
            return
        last = self.material.operations[-1] if self.material.operations else None
        if last is not None and last.kind == kind and (unit in last.units or self._room(last, unit)):
            if not any(unit is other for other in last.units):
                last.units.append(unit)
        else:
            self.material.operations.append(Operation(kind, [unit]))

    def _room(self, operation: Operation, unit: Unit) -> bool:
        limit = self.sizes.d_model * (3 * self.sizes.d_ff if operation.kind == "F" else 4 * self.sizes.d_model)
        return sum(other.matrix.size for other in operation.units) + unit.matrix.size <= limit

    def _vector(self, tensor: Tensor, function: str) -> None:
        mates = self.matrices.get(tensor.owner, [])
        if len(mates) == 1:
            unit = self.units.setdefault(mates[0].name, Unit(mates[0]))
            unit.bias = unit.bias or tensor
        elif tensor.size in {1, self.sizes.d_model} and self._belongs_to_norm(tensor, function):
            self._norm(tensor, function)
        elif self._of_several_norms(tensor, function):
            self._norm(replace(tensor, shape=tensor.shape[1:], row=self.taken[tensor.name]), function)
            self.taken[tensor.name] += 1
        elif tensor.shape == (2, self.sizes.d_model) and not mates:
            self._both_rows(tensor)
        elif self.last is not None and self.last.bias is None:
            self.last.bias = tensor

    def _of_several_norms(self, tensor: Tensor, function: str) -> bool:
        """Whether a tensor holds the gains, or the shifts, of several norms, which take its rows in turn."""
        rows = tensor.shape[0]
        stacked = len(tensor.shape) == 2 and tensor.shape[1] == self.sizes.d_model  # noqa: PLR2004 - rows and columns
        alone = rows == 2 and self.forms[tensor.owner, tensor.shape] == 1  # noqa: PLR2004 - a gain and a shift
        return bool(function) and stacked and not alone and self.taken[tensor.name] < rows

    def _belongs_to_norm(self, tensor: Tensor, function: str) -> bool:
        """Whether a vector that no single matrix owns is a gain or shift rather than a bias."""
        alone = not self.matrices.get(tensor.owner) and self.vectors[tensor.owner] <= 2  # noqa: PLR2004 - gain and shift
        if alone or function.endswith("_norm") or _scales(function):
            return True
        norm = self._last_norm()
        return self.after_norm and norm is not None and norm.shift is None

    def _last_norm(self) -> Operation | None:
        operations = self.material.operations
        return operations[-1] if operations and operations[-1].kind == "N" else None

    def _norm(self, tensor: Tensor, function: str) -> None:
        norm = self._last_norm()
        named_by_function = bool(function) and not function.endswith("_norm")
        half_done = norm is not None and norm.gain is not None and norm.shift is None and _same_owner(norm, tensor)
        gain = (
            _scales(function) if named_by_function else not (half_done and norm is not None and norm.gain is not tensor)
        )
        if norm is not None and not gain and self._was_gain(norm, tensor, function):
            norm.gain, norm.shift, norm.gain_beyond_one = norm.shift, tensor, True
            return
        if norm is None or not _same_owner(norm, tensor) or (norm.gain if gain else norm.shift) is not None:
            norm = Operation("N")
            self.material.operations.append(norm)
        if gain:
            norm.gain = tensor
        else:
            norm.shift = tensor
        self.after_norm = True

    def _was_gain(self, norm: Operation, tensor: Tensor, function: str) -> bool:
        """Whether what was added before is a gain from which 1 was taken: a second vector of its owner is added."""
        first = norm.shift
        return first not in {None, tensor} and norm.gain is None and bool(function) and _same_owner(norm, tensor)

    def _both_rows(self, tensor: Tensor) -> None:
        norm = self._last_norm()
        if norm is None or norm.gain is not tensor:
            self.material.operations.append(Operation("N", gain=tensor, shift=tensor))


def _scales(function: str) -> bool:
    """Whether the function multiplies its tensors."""
    return any(word in function for word in ("mul", "rms", "einsum"))


def _same_owner(operation: Operation, tensor: Tensor) -> bool:
    known = operation.gain or operation.shift
    return known is None or known.owner == tensor.owner


def _bias_last(uses: Sequence[Sequence[str]]) -> Iterable[tuple[str, str]]:
    """``addmm(b, x, w)`` names the bias first; everywhere else it follows its matrix."""
    waiting: tuple[str, str] | None = None
    for name, function in uses:
        if waiting is not None and waiting[1] != function:
            yield waiting
            waiting = None
        if function in _BIAS_FIRST and waiting is None:
            waiting = (name, function)
            continue
        yield name, "mul" if function == "addcmul" else function
        if waiting is not None:
            yield waiting[0], "add" if function == "addcmul" else function
            waiting = None
    if waiting is not None:
        yield waiting
