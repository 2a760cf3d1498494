"""Multi-head attention (section 3.2.2 and figure 2): projections, heads, and what a mask is to them."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from grader.paper.attention import attention
from grader.paper.feed_forward import ACTIVATIONS
from grader.paper.rotary import turned
from grader.paper.weights import Array, Roles

OF_ONE_HEAD = frozenset({"sum", "mean", "max", "first", "last"})
"""What ``merge`` can be so that heads come together as wide as one of them."""
_NO_SETTINGS: Mapping[str, Any] = {}


def _unheard(_: str, __: Array) -> None:
    """Nobody is told of the steps."""


def multi_head(
    query: Array,
    key: Array,
    value: Array,
    weights: Roles,
    heads: int,
    mask: Array | None = None,
    *,
    q_from: str = "query",
    k_from: str = "key",
    v_from: str = "value",
    sequence_first: bool = False,
    exchanged: str = "",
    length: str = "own",
    longest: float = math.inf,
    split: str = "blocks",
    split_of: str = "qkv",
    one_head: bool = False,
    indivisible: str = "refused",
    mask2: str = "shared",
    mask3: str = "sample",
    mask4: str = "own",
    mask_unsqueezed: int = 0,
    rotary: str = "",
    merge: str = "back",
    output: str = "projected",
    transposed: str = "",
    within: Mapping[str, Any] = _NO_SETTINGS,
    turning: Mapping[str, Any] = _NO_SETTINGS,
    note: Callable[[str, Array], None] = _unheard,
    **projected: Any,
) -> tuple[Array, Array]:
    """The result ``(..., n, d_model)``, and the weights of the heads ``(..., heads, n, m)``.

    ``weights`` has the matrices ``w_q``, ``w_k``, ``w_v`` and ``w_o``, and biases where they are. Masks have 2, 3 (per
    sample) or 4 axes. With ``rotary`` queries and keys are turned by their positions as :func:`turned` says, with the
    settings ``turning``. ``projected`` are settings of the projections,
    ``within`` those of the attention within the heads; ``split_of`` are the letters of what is split as ``split`` says.
    ``exchanged`` says that positions and samples of a hand-out with the positions in front were exchanged by a reshape.
    ``note`` is told each step's array by name. Raises ValueError where sizes do not fit.
    """
    given = {"query": query, "key": key, "value": value}
    query, key, value = given[q_from], given[k_from], given[v_from]
    turns = sequence_first and query.ndim > 2
    if turns:
        query, key, value = (array.swapaxes(0, 1) for array in (query, key, value))
    if exchanged:
        query, key, value = map(_exchanged, (query, key, value))
    if length == "that of the query" and key.shape[-2] != query.shape[-2]:
        raise ValueError("cannot reshape keys to the length of the query")
    if max(query.shape[-2], key.shape[-2]) > longest:
        raise ValueError("the size of tensor must match")
    d_model, count = query.shape[-1], 1 if one_head else heads
    q = _projected(query, weights, "q", heads, transposed, **projected)
    k = _projected(key, weights, "k", heads, transposed, **projected)
    v = _projected(value, weights, "v", heads, transposed, **projected)
    note("queries · W_q", q)
    width = q.shape[-1]
    if width % (heads if indivisible == "refused first" else count) and indivisible != "cut":
        raise ValueError(f"cannot reshape {width} features into {heads} heads")
    kept = width - width % count
    if kept < width:
        q, k, v = (array[..., :kept] for array in (q, k, v))
    q, k, v = (
        _split(array, count, split if letter in split_of else "blocks")
        for letter, array in zip("qkv", (q, k, v), strict=True)
    )
    if rotary:
        q, k, v = turned((q, k, v), rotary, **turning)
    note("queries by head", q)
    seen = _of_heads(mask, q.shape[0], heads, mask2=mask2, mask3=mask3, mask4=mask4, unsqueezed=mask_unsqueezed)
    steps = attention(q, k, v, seen, d_model=d_model, **within)
    note("scores by head", steps.scores)
    note("values read by head", steps.output)
    joined = _joined(steps.output.swapaxes(-2, -3) if split == "not moved" else steps.output, merge)
    note("heads joined", joined)
    result = _out(joined, weights, output, transposed, rows=kept if kept < width else None)
    result = _exchanged_back(result) if exchanged == "by reshape, twice" else result
    return result.swapaxes(0, 1) if turns else result, steps.weights


# ------------------------------------------------------------------------------------------------- the projections


def _projected(
    x: Array,
    weights: Roles,
    letter: str,
    heads: int,
    transposed: str,
    *,
    q_weight: str = "q",
    k_weight: str = "k",
    v_weight: str = "v",
    unprojected: str = "",
    activated: str = "",
    activation: str = "relu",
    pieces: bool = False,
    one_for_all: bool = False,
) -> Array:
    """Queries, keys or values: ``letter`` says which."""
    if letter in unprojected:
        return x
    name = {"q": q_weight, "k": k_weight, "v": v_weight}[letter]
    matrix = weights.must(f"w_{name}")
    matrix = matrix.T if name in transposed else matrix
    matrix = _pieces(matrix, heads) if pieces else matrix
    if one_for_all:
        parts = x.reshape(*x.shape[:-1], -1, len(matrix))
        return linear(parts, matrix, weights.get(f"b_{name}")).reshape(x.shape)
    found = linear(x, matrix, weights.get(f"b_{name}"))
    return ACTIVATIONS[activation](found) if letter in activated else found


def linear(x: Array, matrix: Array, bias: Array | None) -> Array:
    """``x W + b``."""
    return np.asarray(x @ matrix if bias is None else x @ matrix + bias)


def _pieces(matrix: Array, heads: int) -> Array:
    """The matrix where each head sees its own piece of the features only: the blocks on the diagonal."""
    head = np.arange(len(matrix)) * heads // len(matrix)
    return np.asarray(np.where(head[:, None] == head, matrix, 0))


def _out(joined: Array, weights: Roles, output: str, transposed: str, *, rows: int | None) -> Array:
    """The output projection; ``output`` is a letter where the matrix of an input stands in its place."""
    if output == "none":
        return joined
    name = output if output in {"q", "k", "v"} else "o"
    matrix = weights.must(f"w_{name}")
    matrix = (matrix.T if name in transposed else matrix)[:rows]
    bias = weights.get(f"b_{name}")
    projected = linear(joined, matrix, bias)
    projected = linear(projected, matrix, bias) if output == "twice" else projected
    return ACTIVATIONS[output](projected) if output in ACTIVATIONS and output != "none" else projected


# ------------------------------------------------------------------------------------------------------- the heads


def _split(x: Array, heads: int, split: str) -> Array:
    """(..., n, width) to (..., heads, n, width / heads)."""
    *lead, n, width = x.shape
    if split == "interleaved":
        return x.reshape(*lead, n, width // heads, heads).swapaxes(-1, -2).swapaxes(-2, -3)
    if split == "by reshape":
        return x.reshape(*lead, heads, n, width // heads)
    if split == "by reshape, positions first":  # (n, batch, width) taken for (batch * heads, n, d_k)
        return x.swapaxes(0, -2).reshape(*lead, heads, n, width // heads)
    if split == "one column on":  # a slice that begins at i where it should at i * d_k
        return np.stack([x[..., head : head + width // heads] for head in range(heads)], axis=-3)
    blocks = x.reshape(*lead, n, heads, width // heads)
    if split == "not moved":  # the heads stay behind the positions: attention then runs between them
        return blocks
    blocks = blocks.swapaxes(-2, -3)
    return np.repeat(blocks[..., :1, :, :], heads, axis=-3) if split == "first for all" else blocks


def _exchanged(x: Array) -> Array:
    """Positions in front of the batch, (n, batch, d_model), taken for (batch, n, d_model) by a reshape alone."""
    return x.swapaxes(0, -2).reshape(x.shape)


def _exchanged_back(x: Array) -> Array:
    """(batch, n, d_model) taken for (n, batch, d_model), as a hand-out has it, by a reshape alone."""
    batch, n, d_model = x.shape
    return x.reshape(n, batch, d_model).swapaxes(0, 1)


def _joined(x: Array, merge: str) -> Array:
    """(..., heads, n, d_k) to (..., n, heads * d_k)."""
    *lead, heads, n, d_k = x.shape
    if merge.endswith(" repeated"):
        return np.concatenate([_REDUCED[merge.removesuffix(" repeated")](x)] * heads, axis=-1)
    if merge in _REDUCED:
        return _REDUCED[merge](x)
    if merge in _MOVED or merge == "back":
        return (_MOVED[merge](x) if merge in _MOVED else x.swapaxes(-2, -3)).reshape(*lead, n, heads * d_k)
    return _cut(x.reshape(-1, heads, n, d_k), merge).reshape(*lead, n, heads * d_k)


def _cut(x: Array, merge: str) -> Array:
    """Axes of batch, heads, positions and features in the order that ``merge`` says, cut as if it were the right one.

    Behind "positions first" they are cut as a hand-out wants it that has the positions in front of the batch.
    """
    batch, heads, n, d_k = x.shape
    order, _, course = merge.partition(", ")
    moved = x.transpose([_AXES.index(letter) for letter in order])
    return moved.reshape(n, batch, heads * d_k).swapaxes(0, 1) if course else moved.reshape(batch, n, heads * d_k)


_AXES = "bhnd"


_REDUCED: Mapping[str, Callable[[Array], Array]] = {
    "sum": lambda x: np.asarray(x.sum(axis=-3)),
    "mean": lambda x: np.asarray(x.mean(axis=-3)),
    "max": lambda x: np.asarray(x.max(axis=-3)),
    "first": lambda x: x[..., 0, :, :],
    "last": lambda x: x[..., -1, :, :],
}

_MOVED: Mapping[str, Callable[[Array], Array]] = {
    "by reshape": lambda x: x,
    "interleaved": lambda x: np.moveaxis(x, -3, -1),
    "reversed": lambda x: x[..., ::-1, :, :].swapaxes(-2, -3),
    # (batch * heads, n, d_k) taken for (heads * batch, n, d_k)
    # (batch * heads, n, d_k) taken for (n, batch, heads * d_k)
    "positions first": lambda x: x.reshape(x.shape[2], x.shape[0], x.shape[1], x.shape[3]).swapaxes(0, 1),
    "unfolded": lambda x: x.reshape(x.shape[1], x.shape[0], *x.shape[2:]).transpose(1, 2, 0, 3),
}


# ------------------------------------------------------------------------------------------------------- the masks


def _of_heads(
    mask: Array | None, batch: int, heads: int, *, mask2: str, mask3: str, mask4: str, unsqueezed: int
) -> Array | None:
    """The mask as it meets the scores, ``(batch, heads, n, m)``."""
    if mask is None:
        return None
    if mask.ndim == 4 and mask4 != "own":
        if mask4.startswith("as 3") and mask.shape[1] == 1:
            mask = _of_three(mask, batch, queries=not mask4.endswith("none for queries"))
        elif mask4 in _FOUR:
            mask = _FOUR[mask4](mask)
    if mask.ndim == 2 and mask2 == "padding" and len(mask) == batch:
        mask = mask[:, None, None, :]
    if unsqueezed:
        if mask.ndim == 4:
            raise ValueError("a mask of five axes has not the shape of the scores")
        return np.expand_dims(mask, unsqueezed)
    if mask.ndim != 3:
        return mask
    if mask3 in _REPEATED:
        return _REPEATED[mask3](mask, batch, heads)
    return _THREE[mask3](mask) if mask3 in _THREE else mask[:, None]


def _of_three(mask: Array, batch: int, *, queries: bool) -> Array:
    """A mask for all heads, (batch, n, m), of one with an axis for them; ``queries`` may have masks of their own."""
    if mask.shape[2] > 1 and not queries:
        raise ValueError("fewer repeats than a mask for each query has axes: another shape")
    return np.broadcast_to(mask[:, 0], (batch, *mask.shape[2:]))


_FOUR: Mapping[str, Callable[[Array], Array]] = {
    "first head": lambda mask: mask[:, :1],
    "first of all": lambda mask: mask[:1, :1],
    "any": lambda mask: np.asarray(mask.any(axis=1, keepdims=True)),
    "all": lambda mask: np.asarray(mask.all(axis=1, keepdims=True)),
}

_REPEATED: Mapping[str, Callable[[Array, int, int], Array]] = {
    "repeat": lambda mask, batch, heads: np.tile(mask, (heads, 1, 1))[: batch * heads].reshape(
        batch, heads, *mask.shape[1:]
    ),
    # (batch * heads, n, m) of masks for (heads * batch, n, m) of scores
    "repeat for heads in front": lambda mask, batch, heads: (
        np.repeat(mask, heads, axis=0).reshape(heads, batch, *mask.shape[1:]).swapaxes(0, 1)
    ),
}

_THREE: Mapping[str, Callable[[Array], Array | None]] = {
    "as it is": lambda mask: mask,
    "for heads": lambda mask: mask[None],
    "first sample": lambda mask: mask[:1, None],
    "ignored": lambda _: None,
}
