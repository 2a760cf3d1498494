"""Find the reading of a module: which tensors fill which roles, so that the paper, or a mistake, gives its outputs.

The order in which a computation reads its weights is taken from the computation itself, run once on zeros:
operations of the module and of the computation are laid side by side, and only the layout inside an attention is
enumerated.
"""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from grader.blocks import layout as layouts_of
from grader.blocks.layout import Layout, Piece, Values
from grader.blocks.reading import Material, Operation
from grader.blocks.sizes import Sizes
from grader.paper.sublayers import Knobs
from grader.paper.weights import Array, Roles

Compute = Callable[[Roles, Mapping[str, Any], Sizes, Knobs], Array]

KINDS = {"self_attention": "A", "cross_attention": "A", "attention": "A", "feed_forward": "F"}


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a module: arrays by role, the knobs that are turned, and which sublayers share tensors."""

    roles: Mapping[str, Array]
    knobs: Knobs
    shared: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Expected:
    """What a computation reads: its sublayers in order with their roles, and its tables."""

    sublayers: tuple[tuple[str, str, str], ...]
    tables: tuple[str, ...]

    @property
    def kinds(self) -> str:
        """The sublayers as one word."""
        return "".join(kind for kind, _, _ in self.sublayers)


def expected(
    compute: Compute, shapes: Mapping[str, tuple[int, ...]], inputs: Mapping[str, Any], sizes: Sizes, knobs: Knobs
) -> Expected:
    """Run a computation on zeros and note what it reads; one that stumbles is noted as far as it came."""
    roles = Roles({role: np.zeros(shape) for role, shape in shapes.items()})
    try:
        with np.errstate(all="ignore"):
            compute(roles, inputs, sizes, knobs)
    except (ValueError, IndexError, KeyError):
        pass  # the shapes of a fault need not be those of the paper
    sublayers: list[tuple[str, str, str]] = []
    tables: list[str] = []
    for role in roles.log:
        prefix, _, leaf = role.rpartition(".")
        part = prefix.rpartition(".")[2]
        if part.startswith("norm") or leaf in {"gain", "shift"}:
            _note(sublayers, "N", prefix, "g" if leaf == "gain" else "s")
        elif part in KINDS or leaf[:2] in {"w_", "b_"}:
            _note(
                sublayers,
                KINDS.get(part, "A" if leaf[2:] in "qkvo" else "F"),
                prefix,
                leaf[2:] if leaf.startswith("w_") else "",
            )
        else:
            tables.append(role)
    return Expected(tuple(sublayers), tuple(dict.fromkeys(tables)))


def _note(sublayers: list[tuple[str, str, str]], kind: str, prefix: str, letter: str) -> None:
    """Add a read to the sublayer at hand, or begin one: a norm is read anew when its gain is."""
    if sublayers and sublayers[-1][:2] == (kind, prefix) and not (kind == "N" and letter in sublayers[-1][2]):
        letters = sublayers[-1][2]
        sublayers[-1] = (kind, prefix, letters if letter in letters else letters + letter)
    else:
        sublayers.append((kind, prefix, letter))


Form = tuple[Any, str]
"""What attentions of one class have in common, and the letters that a computation reads of them."""


@dataclass(slots=True)
class Search:
    """The readings of one module; ``tries`` counts evaluations. ``known``: a Linear is torch's.

    What was found for one mistake is kept for the next, by the place of an operation in the material.
    """

    material: Material
    values: Values
    sizes: Sizes
    known: bool = True
    tries: int = 0
    _pieces: dict[int, list[Piece]] = field(default_factory=dict)
    _layouts: dict[Form, list[Layout]] = field(default_factory=dict)
    _arrays: dict[tuple[int, Layout], Mapping[str, Array]] = field(default_factory=dict)

    def readings(self, wanted: Expected, knobs: Knobs, most: int = 400) -> Iterator[Reading]:
        """Yield the readings whose operations are those of ``wanted``; nothing where they are not."""
        operations = self.material.arranged(wanted.kinds)
        if operations is None:
            return
        base = self._tables(wanted.tables)
        if base is None:
            return
        gates = (False, True) if knobs.get("ffn.gated") else (False,)
        for gate_first in gates:
            yield from self._read(operations, wanted, knobs, dict(base), most, gate_first=gate_first)

    def _read(
        self,
        operations: Sequence[Operation],
        wanted: Expected,
        knobs: Knobs,
        base: dict[str, Array],
        most: int,
        *,
        gate_first: bool,
    ) -> Iterator[Reading]:
        """The readings of operations in their order, with the tables in ``base``."""
        attentions: list[tuple[str, Operation, Form]] = []
        for operation, (kind, prefix, letters) in zip(operations, wanted.sublayers, strict=True):
            if kind == "A":
                signature = layouts_of.signature(self._pieces_of(operation))
                attentions.append((prefix, operation, (signature, "".join(sorted(letters, key="qkvo".index)))))
            else:
                found = (
                    layouts_of.norm_roles(operation, self.values)
                    if kind == "N"
                    else layouts_of.feed_forward_roles(operation, self.values, self.sizes, gate_first=gate_first)
                )
                base |= {_join(prefix, role): array for role, array in found.items()}
        shared = _shared(operations, wanted)
        for chosen in itertools.islice(self._choices(attentions), most):
            roles = dict(base)
            for prefix, operation, form in attentions:
                arrays = self._extracted(operation, chosen[form])
                roles |= {_join(prefix, role): array for role, array in arrays.items()}
            yield Reading(roles, knobs, shared)

    def _pieces_of(self, operation: Operation) -> list[Piece]:
        """The tensors of an attention, found once."""
        if id(operation) not in self._pieces:
            self._pieces[id(operation)] = layouts_of.pieces_of(operation, self.sizes)
        return self._pieces[id(operation)]

    def _extracted(self, operation: Operation, layout: Layout) -> Mapping[str, Array]:
        """The matrices of an attention under a layout, taken once."""
        key = (id(operation), layout)
        if key not in self._arrays:
            self._arrays[key] = layouts_of.extract(self._pieces_of(operation), layout, self.values, self.sizes)
        return self._arrays[key]

    def _choices(self, attentions: Sequence[tuple[str, Operation, Form]]) -> Iterator[dict[Form, Layout]]:
        """One layout for each form of attention: those of one class share theirs."""
        options: dict[Form, list[Layout]] = {}
        for _, operation, form in attentions:
            if form not in self._layouts:
                pieces = self._pieces_of(operation)
                self._layouts[form] = layouts_of.layouts(pieces, form[1], self.sizes, known=self.known)
            options[form] = self._layouts[form]
        most = 48 if len(options) > 1 else 400
        for picks in _likeliest_first(tuple(min(len(found), most) for found in options.values())):
            yield {form: found[pick] for (form, found), pick in zip(options.items(), picks, strict=True)}

    def _tables(self, wanted: Sequence[str]) -> dict[str, Array] | None:
        """Fill embedding tables and generator by vocabulary; the first use embeds, the last one scores."""
        found: dict[str, Array] = {}
        for role in wanted:
            if role in {"generator.b", "table.positions"}:
                continue
            array = self._table(role, wanted)
            if array is None:
                return None
            found[role] = array
            if role == "generator.w":
                found |= self._generator_bias()
        if "table.positions" in wanted:
            if len(self.material.positions) != 1:
                return None
            tensor = self.material.positions[0]
            found["table.positions"] = _rows(self.values[tensor.name], tensor.shape, self.sizes.max_len)
        return found

    def _table(self, role: str, wanted: Sequence[str]) -> Array | None:
        """One table; of two for one vocabulary each language has its own, in the order of their use."""
        vocab = self.sizes.src_vocab if role == "src_table" else self.sizes.tgt_vocab
        units = [unit for unit, _ in self.material.tables if unit.matrix.size == vocab * self.sizes.d_model]
        if not units:
            return None
        both = self.sizes.src_vocab == self.sizes.tgt_vocab and {"src_table", "tgt_table"} <= set(wanted)
        apart = list({unit.matrix.name: unit for unit in units}.values())
        second = apart[1] if both and role == "tgt_table" and len(apart) > 1 else apart[0]
        unit = units[-1] if role == "generator.w" else second
        rows = _rows(self.values[unit.matrix.name], unit.matrix.shape, vocab)
        return rows.T if role == "generator.w" else rows

    def _generator_bias(self) -> dict[str, Array]:
        unit = [
            unit for unit, _ in self.material.tables if unit.matrix.size == self.sizes.tgt_vocab * self.sizes.d_model
        ][-1]
        return {"generator.b": self.values[unit.bias.name].reshape(-1)} if unit.bias is not None else {}


@lru_cache(maxsize=64)
def _likeliest_first(counts: tuple[int, ...]) -> list[tuple[int, ...]]:
    """One number below each count, those with the least sum first."""
    return sorted(itertools.product(*map(range, counts)), key=sum)


def _rows(array: Array, shape: tuple[int, ...], rows: int) -> Array:
    """A table with one row for each of ``rows``, or more of them than that."""
    matrix = array.reshape(shape)
    return matrix if matrix.shape[0] == rows or rows not in matrix.shape else matrix.T


def _join(prefix: str, role: str) -> str:
    return f"{prefix}.{role}" if prefix else role


def _shared(operations: Sequence[Operation], wanted: Expected) -> tuple[tuple[str, str], ...]:
    """Sublayers that stand for different roles and hold the same tensors."""
    by_prefix: dict[str, frozenset[str]] = {}
    for operation, (_, prefix, _) in zip(operations, wanted.sublayers, strict=True):
        by_prefix.setdefault(prefix, operation.labels)
    return tuple(
        (one, other) for one, other in itertools.combinations(by_prefix, 2) if by_prefix[one] & by_prefix[other]
    )
