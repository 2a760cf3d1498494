"""From a module's tensors to the paper's matrices: which part of which tensor is W_q, and in what order its axes lie.

A tensor of an attention holds one or more of the letters q, k, v, o. Its axes are products of P (projections held
together), D (d_model), H (heads) and K (width of a head) in some order; sizes that all differ leave few orders.
"""

import itertools
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from grader.blocks.reading import LINEAR, Operation, Tensor, Unit
from grader.blocks.sizes import Sizes
from grader.paper.weights import Array

Values = Mapping[str, Array]
MOST_LAYOUTS, MOST_REVERSED, LIKELIEST = 400, 4, 12
"""How many layouts are kept, how many of the first are tried with the heads reversed as well, and behind how many."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One tensor, or several of the same form stacked (a module for each head); with the bias beside it."""

    names: tuple[str, ...]
    shape: tuple[int, ...]
    biases: tuple[str, ...]
    bias_shape: tuple[int, ...]
    owner_class: str

    @property
    def size(self) -> int:
        """Number of entries."""
        return math.prod(self.shape)

    def matrix(self, values: Values) -> Array:
        """The stacked matrix."""
        return np.stack([values[name] for name in self.names]).reshape(self.shape)

    def bias(self, values: Values) -> Array | None:
        """The stacked bias."""
        return np.stack([values[name] for name in self.biases]).reshape(self.bias_shape) if self.biases else None


@dataclass(frozen=True, slots=True)
class Holding:
    """What one piece is taken to hold: its letters in order, and the order of its axes' factors (``PHKD``).

    R stands for H where the heads come in reverse order.
    """

    letters: str
    axes: str


Layout = tuple[Holding, ...]


def pieces_of(operation: Operation, sizes: Sizes) -> list[Piece]:
    """Return the operation's tensors, those smaller than a whole projection stacked by the form of their names."""
    whole = sizes.d_model**2
    groups: dict[str, list[Unit]] = {}
    small = [unit for unit in operation.units if unit.matrix.size < whole]
    for unit in operation.units:
        groups.setdefault(_form(unit, small, sizes), []).append(unit)
    return [_stacked(group, sizes) for group in groups.values()]


def _form(unit: Unit, small: Sequence[Unit], sizes: Sizes) -> str:
    pattern = re.sub(r"\d+", "#", unit.matrix.name)
    alike = [
        other
        for other in small
        if re.sub(r"\d+", "#", other.matrix.name) == pattern and other.matrix.shape == unit.matrix.shape
    ]
    return pattern if len(alike) >= sizes.num_heads and unit in alike else unit.matrix.name


def _outputs(units: Sequence[Unit], sizes: Sizes) -> bool:
    """Whether every matrix turns what one head found into d_model features."""
    return all(unit.bias is None or unit.bias.shape == (sizes.d_model,) for unit in units)


def _stacked(units: Sequence[Unit], sizes: Sizes) -> Piece:
    ordered = sorted(units, key=lambda unit: [int(digits) for digits in re.findall(r"\d+", unit.matrix.name)])
    first = ordered[0]
    shape, bias_shape = first.matrix.shape, first.bias.shape if first.bias is not None else ()
    if len(ordered) > 1:
        lead = _leading([unit.matrix.name for unit in ordered])
        shape, bias_shape = (*lead, *shape), (*lead, *bias_shape)
    biases = tuple(unit.bias.name for unit in ordered if unit.bias is not None)
    if len(biases) < len(ordered):  # what heads add to the output sums up, whichever of them has a bias
        bias_shape = (len(biases), sizes.d_model)
    return Piece(
        tuple(unit.matrix.name for unit in ordered),
        shape,
        biases if len(biases) == len(ordered) or _outputs(ordered, sizes) else (),
        bias_shape,
        first.matrix.owner_class,
    )


def _leading(names: Sequence[str]) -> tuple[int, ...]:
    """Axes that the digits in the names span: ``heads.2.proj.1`` of 5 heads with 3 projections gives (5, 3)."""
    columns = list(zip(*[re.findall(r"\d+", name) for name in names], strict=False))
    spans = tuple(len(set(column)) for column in columns if len(set(column)) > 1)
    return spans if math.prod(spans) == len(names) else (len(names),)


def signature(pieces: Sequence[Piece]) -> tuple[object, ...]:
    """Equal for attentions of one class, which therefore share one layout."""
    return tuple(
        (".".join(piece.names[0].split(".")[-1 - (piece.owner_class in LINEAR) :]), piece.shape, piece.owner_class)
        for piece in pieces
    )


def layouts(pieces: Sequence[Piece], wanted: str, sizes: Sizes, *, known: bool = True) -> list[Layout]:
    """Return the layouts under which the pieces hold exactly the letters ``wanted``, the likeliest first.

    ``known`` says that classes called Linear are torch's, whose weights are (out, in).
    """
    found: list[tuple[int, Layout]] = []
    for letters in _letters(pieces, wanted, sizes):
        cost = _cost_of_letters(pieces, letters)
        choices = [list(_axes(piece, held, sizes, known=known)) for piece, held in zip(pieces, letters, strict=True)]
        for axes in itertools.islice(itertools.product(*choices), 2 * MOST_LAYOUTS):
            layout = tuple(Holding(held, order) for held, order in zip(letters, axes, strict=True))
            if _consistent(layout):
                found.append((cost + _cost_of_axes(layout), layout))
    found.sort(key=lambda pair: pair[0])
    likely = [layout for _, layout in found[:MOST_LAYOUTS]]
    turned = filter(None, map(_reversed, likely[:MOST_REVERSED]))
    return [*likely[:LIKELIEST], *turned, *likely[LIKELIEST:]]


def _reversed(layout: Layout) -> Layout | None:
    """The layout whose output takes the heads in, the last one first; None where it has no heads."""
    turned = tuple(Holding(one.letters, one.axes.replace("H", "R")) if one.letters == "o" else one for one in layout)
    return turned if turned != layout else None


def _letters(pieces: Sequence[Piece], wanted: str, sizes: Sizes) -> Iterator[tuple[str, ...]]:
    """Deal the wanted letters out to the pieces, as many to each as it has room for.

    One tensor of several projections keeps its room for a letter that a mistaken computation does not read.
    """
    counts = [max(1, piece.size // sizes.d_model**2) for piece in pieces]
    idle = [letter for letter in "qkvo" if letter not in wanted][: sum(counts) - len(wanted)]
    if sum(counts) != len(wanted) + len(idle) or (idle and max(counts) == 1):
        return
    for order in itertools.permutations([*wanted, *idle]):
        dealt, letters = 0, []
        for count in counts:
            letters.append("".join(order[dealt : dealt + count]))
            dealt += count
        yield tuple(letters)


_WORDS = {
    "q": {"q", "wq", "qs", "query", "queries", "toq"},
    "k": {"k", "wk", "ks", "key", "keys", "tok"},
    "v": {"v", "wv", "vs", "value", "values", "val", "tov"},
    "o": {"o", "wo", "out", "output", "proj", "fc", "dense", "projection", "concat", "final"},
}


def _cost_of_letters(pieces: Sequence[Piece], letters: Sequence[str]) -> int:
    """Names only decide what is tried first; so does the order of use, in which the output comes last."""
    cost = 0
    for position, (piece, held) in enumerate(zip(pieces, letters, strict=True)):
        if len(held) > 1:
            cost += 4 * (held != "qkvo"[: len(held)] and held != "kv")
            continue
        words = set(re.split(r"[^a-z]+", re.sub(r"\d", "", ".".join(piece.names[0].lower().split(".")[-3:]))))
        guess = next((letter for letter in "qkvo" if words & _WORDS[letter]), "")
        cost += 10 * (bool(guess) and guess != held)
        cost += 3 * ((held == "o") != (position == len(pieces) - 1)) + ("qkvo".index(held) != position)
    return cost


def _cost_of_axes(layout: Layout) -> int:
    orders = [holding.axes for holding in layout if "D" in holding.axes]
    # The output takes in what the others give out: all matrices of one hand are (in, out), or all are (out, in).
    inputs_last = {holding.axes.endswith("D") != (holding.letters == "o") for holding in layout if "D" in holding.axes}
    interleaved = sum(order.index("K") < order.index("H") for order in orders if "H" in order)
    return 2 * interleaved + 2 * (len(inputs_last) > 1) + sum(order.index("P") for order in orders if "P" in order)


def _consistent(layout: Layout) -> bool:
    """Queries, keys and values split their columns into heads in one way."""
    nested = {
        order.index("K") < order.index("H")
        for holding in layout
        if holding.letters != "o"
        for order in [holding.axes]
        if "H" in order
    }
    return len(nested) <= 1


def _axes(piece: Piece, letters: str, sizes: Sizes, *, known: bool) -> Iterator[str]:
    """Yield the orders of P, D, H and K that fit the shape; a linear layer's input axis is known.

    J is the input axis of a matrix that serves every head.
    """
    if piece.shape == (sizes.d_k, sizes.d_k) and letters in set("qkv"):
        yield from ("KJ",) if known and piece.owner_class in LINEAR else ("KJ", "JK")
        return
    labels = {"D": sizes.d_model, "H": sizes.num_heads, "K": sizes.d_k}
    if letters == "o" and piece.size == sizes.d_model * sizes.d_k:
        labels.pop("H")
    if len(letters) > 1:
        labels["P"] = len(letters)
    for order in itertools.permutations(labels):
        if _fits([labels[label] for label in order], piece.shape):
            input_last = order[-1] == "D"
            if not known or piece.owner_class not in LINEAR or input_last == (letters != "o"):
                yield "".join(order)


def _fits(factors: Sequence[int], shape: Sequence[int]) -> bool:
    """Whether consecutive factors multiply up to the axes in turn."""
    position = 0
    for size in shape:
        product = 1
        while product < size and position < len(factors):
            product *= factors[position]
            position += 1
        if product != size:
            return False
    return position == len(factors)


def extract(pieces: Sequence[Piece], layout: Layout, values: Values, sizes: Sizes) -> dict[str, Array]:
    """Return the canonical arrays ``w_q`` (in, out), ``b_q`` … under a layout."""
    found: dict[str, Array] = {}
    for piece, holding in zip(pieces, layout, strict=True):
        lengths = {"D": sizes.d_model, "H": sizes.num_heads, "K": sizes.d_k, "P": len(holding.letters)}
        lengths |= {"J": sizes.d_k, "R": sizes.num_heads}
        matrix = piece.matrix(values).reshape([lengths[label] for label in holding.axes])
        found |= _matrices(matrix, holding, lengths)
        bias = piece.bias(values)
        if bias is not None:
            found |= _biases(bias, holding, lengths)
    return found


def _matrices(matrix: Array, holding: Holding, lengths: Mapping[str, int]) -> dict[str, Array]:
    d = lengths["D"]
    if holding.letters == "o":
        rows = [label for label in "HRK" if label in holding.axes]
        ordered = matrix.transpose([holding.axes.index(label) for label in [*rows, "D"]])
        return {"w_o": (ordered[::-1] if "R" in rows else ordered).reshape(-1, d)}
    if "J" in holding.axes:
        return {f"w_{holding.letters}": matrix if holding.axes == "JK" else matrix.T}
    if len(holding.letters) == 1:
        return {f"w_{holding.letters}": matrix.transpose([holding.axes.index(label) for label in "DHK"]).reshape(d, -1)}
    together = matrix.transpose([holding.axes.index(label) for label in "PDHK"])
    return {f"w_{letter}": part.reshape(d, -1) for letter, part in zip(holding.letters, together, strict=True)}


def _biases(bias: Array, holding: Holding, lengths: Mapping[str, int]) -> dict[str, Array]:
    if holding.letters == "o":
        return {"b_o": bias.reshape(-1, lengths["D"]).sum(axis=0)}
    own = [label for label in holding.axes if label in "PHK"]
    wanted = [label for label in ("P", "H", "K") if label in own]
    order = next(
        (
            order
            for order in [tuple(own), *itertools.permutations(own)]
            if _fits([lengths[label] for label in order], bias.shape)
        ),
        None,
    )
    if order is None:
        return {}
    parts = bias.reshape([lengths[label] for label in order]).transpose([order.index(label) for label in wanted])
    return {
        f"b_{letter}": part.reshape(-1)
        for letter, part in zip(holding.letters, parts if "P" in own else parts[None], strict=True)
    }


def feed_forward_roles(operation: Operation, values: Values, sizes: Sizes, *, gate_first: bool) -> dict[str, Array]:
    """Return ``w_1 b_1 w_2 b_2`` of a feed-forward operation: the first matrix used is W_1, shapes give the rest.

    Of three the last is W_2, and W_3 the one before; ``gate_first`` where that is used before W_1. One tensor may hold
    both, the one behind the other.
    """
    found: dict[str, Array] = {}
    pairs = [pair for unit in operation.units for pair in _halves(unit, values, sizes)]
    numbers = (1, 2) if len(pairs) < len("123") else (3, 1, 2) if gate_first else (1, 3, 2)
    for number, (matrix, bias) in zip(numbers, pairs, strict=False):
        rows = sizes.d_ff if number == 2 else sizes.d_model  # noqa: PLR2004 - W_2
        found[f"w_{number}"] = matrix if matrix.shape[0] == rows else matrix.T
        if bias is not None:
            found[f"b_{number}"] = bias
    return found


def _halves(unit: Unit, values: Values, sizes: Sizes) -> Iterator[tuple[Array, Array | None]]:
    """The matrix of a unit with its bias, or the two that it holds."""
    matrix = values[unit.matrix.name].reshape(unit.matrix.shape)
    bias = None if unit.bias is None else values[unit.bias.name].reshape(-1)
    if matrix.size == sizes.d_model * sizes.d_ff:
        yield matrix, bias
        return
    along = next(axis for axis, length in enumerate(matrix.shape) if length in {2, 2 * sizes.d_ff})
    parts = [part.squeeze() for part in np.split(matrix, 2, axis=along)]
    yield from zip(parts, [None, None] if bias is None else np.split(bias, 2), strict=True)


def _vector(array: Array, tensor: Tensor) -> Array:
    return array.reshape(-1) if tensor.row is None else array.reshape(-1, *tensor.shape)[tensor.row]


def norm_roles(operation: Operation, values: Values) -> dict[str, Array]:
    """Return ``gain`` and ``shift`` of a norm, as far as it has them."""
    gain, shift = operation.gain, operation.shift
    if gain is not None and gain is shift:  # the rows of one tensor
        rows = values[gain.name].reshape(2, -1)
        return {"gain": rows[0], "shift": rows[1]}
    pairs: list[tuple[str, Tensor | None]] = [("gain", gain), ("shift", shift)]
    found = {role: _vector(values[tensor.name], tensor) for role, tensor in pairs if tensor is not None}
    return {**found, "gain": 1 + found["gain"]} if operation.gain_beyond_one else found
