"""Multi-head attention of arrays with knobs, every default being the paper's choice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from grader.components import attention_einsum as einsum
from grader.properties import Array

LOW = -1e9


def workshop(
    query: Any,
    key: Any,
    value: Any,
    W_q: Any,
    W_k: Any,
    W_v: Any,
    W_o: Any,
    num_heads: int,
    mask: Any = None,
    *,
    project: str = "own",
    transposed: str = "",
    after_projection: str = "",
    split: str = "blocks",
    merge: str = "back",
    scale: str | float = "head",
    causal: bool = False,
    axis: int = -1,
    normal: str = "softmax",
    masked: str = "before",
    meaning: str = "attend",
    fill: float = -np.inf,
    mask_axes: str = "per sample",
    output: str = "projected",
    inputs: str = "own",
    indivisible: str = "refused",
    order: str = "batch first",
    in_place: bool = False,
    ranks: str = "any",
    length: str = "own",
    returns: str = "output",
    product: str = "matmul",
    retrieve: str = "values",
    shared: str = "",
    note: Callable[[str, Array], None] = lambda *_: None,
) -> Any:
    """The oracle with knobs; every default is the paper's choice. ``note`` is told each step's array by name."""
    if (ranks == "matrix" and np.ndim(query) != 2) or (ranks == "batch" and np.ndim(query) != 3):
        raise ValueError("wrong number of values to unpack")
    if inputs != "own":
        query, key, value = {
            "query only": (query, query, query),
            "key and value swapped": (query, value, key),
            "query and key swapped": (key, query, value),
            "keys as values": (query, key, key),
            "value only": (query, value, value),
        }[inputs]
    if order == "sequence first" and query.ndim > 2:
        query, key, value = (array.swapaxes(0, 1) for array in (query, key, value))
    if length == "that of the query" and len({array.shape[-2] for array in (query, key, value)}) > 1:
        raise ValueError("cannot reshape keys to the length of the query")
    q, k, v = _projected((query, key, value), (W_q, W_k, W_v), project, transposed, num_heads)
    if after_projection == "relu":
        q, k, v = (np.maximum(array, 0) for array in (q, k, v))
    note("queries · W_q", q)
    width = q.shape[-1]
    heads = 1 if split == "ignored" else num_heads
    if indivisible == "refused first" and width % num_heads:
        raise ValueError(f"cannot reshape {width} features into {num_heads} heads")
    if width % heads:
        if indivisible == "refused":
            raise ValueError(f"cannot reshape {width} features into {heads} heads")
        kept = width // heads * heads
        q, k, v = (array[..., :kept] for array in (q, k, v))
        W_o = W_o[:kept]
    q, k, v = (_split(array, heads, split) for array in (q, k, v))
    note("queries by head", q)
    raw = einsum.product(product, q, k) if product != "matmul" else q @ k.swapaxes(-1, -2)
    scores = raw * _factor(scale, q, k, width)
    allowed = _seen(mask, mask_axes, scores, masked=masked, meaning=meaning, causal=causal)
    note("scores by head", scores)
    weights = _weights(scores, allowed, axis=axis, normal=normal, masked=masked, fill=fill, shared=shared)
    read = einsum.product(retrieve, weights, v) if retrieve != "values" else weights @ v
    note("values read by head", read)
    joined = _joined(read.swapaxes(-2, -3) if split == "not moved" else read, merge)
    note("heads joined", joined)
    result = _output(joined, W_o.T if "o" in transposed else W_o, output, query)
    if in_place:
        query += result  # as `x += attention(x)` does inside the function
    result = result.swapaxes(0, 1) if order == "sequence first" and result.ndim > 2 else result
    return result if returns == "output" else (result, weights)


def _projected(arrays: Any, matrices: Any, project: str, transposed: str, heads: int) -> list[Array]:
    W_q, W_k, W_v = (matrix.T if name in transposed else matrix for name, matrix in zip("qkv", matrices, strict=True))
    chosen = {
        "own": (W_q, W_k, W_v),
        "own pieces": tuple(_pieces(matrix, heads) for matrix in (W_q, W_k, W_v)),
        "value by key": (W_q, W_k, W_k),
        "key by query": (W_q, W_q, W_v),
        "all by query": (W_q, W_q, W_q),
        "query and key swapped": (W_k, W_q, W_v),
        "value by query": (W_q, W_k, W_q),
        "key and value swapped": (W_q, W_v, W_k),
        "none": (None, None, None),
        "no value": (W_q, W_k, None),
    }[project]
    return [array if matrix is None else array @ matrix for array, matrix in zip(arrays, chosen, strict=True)]


def _pieces(matrix: Array, heads: int) -> Array:
    """The matrix where each head sees its own piece of the features only: the blocks on the diagonal."""
    head = np.arange(len(matrix)) * heads // len(matrix)
    return np.asarray(np.where(head[:, None] == head, matrix, 0))


def _split(x: Array, heads: int, split: str) -> Array:
    """(..., n, width) to (..., heads, n, width / heads)."""
    *lead, n, width = x.shape
    d_k = width // heads
    if split == "interleaved":
        return x.reshape(*lead, n, d_k, heads).swapaxes(-1, -2).swapaxes(-2, -3)
    if split == "by reshape":
        return x.reshape(*lead, heads, n, d_k)
    if split == "not moved":
        return x.reshape(*lead, n, heads, d_k)
    blocks = x.reshape(*lead, n, heads, d_k).swapaxes(-2, -3)
    if split == "first for all":
        return np.repeat(blocks[..., :1, :, :], heads, axis=-3)
    return blocks


def _weights(
    scores: Array, allowed: Array | None, *, axis: int, normal: str, masked: str, fill: float, shared: str
) -> Array:
    if allowed is not None:
        ways: dict[str, Callable[[], Array]] = {
            "before": lambda: np.where(allowed, scores, fill),
            "multiplied": lambda: scores * allowed,
            "added": lambda: scores + allowed,
            "after": lambda: scores,
            "lowered": lambda: scores + ~allowed * LOW,
        }
        scores = ways[masked]()
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    weights = scores if normal == "scores" else powers / powers.sum(axis=axis, keepdims=True)
    if shared:
        weights = np.broadcast_to(weights.mean(axis=-3, keepdims=True), weights.shape)
    return np.asarray(weights * allowed if allowed is not None and masked == "after" else weights)


def _factor(scale: str | float, q: Array, k: Array, width: int) -> float:
    if not isinstance(scale, str):
        return scale
    if scale in {"times", "dk"}:
        return float(q.shape[-1] ** (0.5 if scale == "times" else -1.0))
    sizes = {"head": q.shape[-1], "model": width, "none": 1, "heads": q.shape[-3], "keys": k.shape[-2]}
    return float(sizes[scale] ** -0.5)


def _seen(
    mask: Array | None, mask_axes: str, scores: Array, *, masked: str, meaning: str, causal: bool
) -> Array | None:
    """What each query may attend to; None where nothing is hidden."""
    allowed = None if mask is None or masked == "ignored" else _allowed(mask, mask_axes, scores)
    allowed = ~allowed if allowed is not None and meaning == "block" else allowed
    if not causal:
        return allowed
    past = np.tri(scores.shape[-2], scores.shape[-1], dtype=np.bool_)
    return past if allowed is None else np.asarray(allowed & past)


def _allowed(mask: Array, mask_axes: str, scores: Array) -> Array:
    batch = scores.shape[0]
    if mask.ndim == 3:
        ways: dict[str, Callable[[], Array]] = {
            "per sample": lambda: mask[:, None],
            "as it is": lambda: mask,
            "for heads": lambda: mask[None],
            "first sample": lambda: mask[:1, None],
            "first of all": lambda: mask[:1, None],
            "repeat order": lambda: np.tile(mask, (scores.shape[1], 1, 1)).reshape(batch, -1, *mask.shape[1:]),
        }
        return ways.get(mask_axes, ways["per sample"])()
    if mask.ndim == 4 and mask_axes in {"first head", "first of all"}:
        return mask[:, :1] if mask_axes == "first head" else mask[:1, :1]
    return mask


def _joined(heads: Array, merge: str) -> Array:
    """(..., heads, n, d_k) to (..., n, heads * d_k)."""
    *lead, count, n, d_k = heads.shape
    ways: dict[str, Callable[[], Array]] = {
        "back": lambda: heads.swapaxes(-2, -3).reshape(*lead, n, count * d_k),
        "by reshape": lambda: heads.reshape(*lead, n, count * d_k),
        "interleaved": lambda: np.moveaxis(heads, -3, -1).reshape(*lead, n, count * d_k),
        "reversed": lambda: heads[..., ::-1, :, :].swapaxes(-2, -3).reshape(*lead, n, count * d_k),
        "sum": lambda: heads.sum(axis=-3),
        "mean": lambda: heads.mean(axis=-3),
        "first": lambda: heads[..., 0, :, :],
        "last": lambda: heads[..., -1, :, :],
        "mean repeated": lambda: np.concatenate([heads.mean(axis=-3)] * count, axis=-1),
        "sum repeated": lambda: np.concatenate([heads.sum(axis=-3)] * count, axis=-1),
    }
    return ways[merge]()


def _output(joined: Array, W_o: Array, output: str, query: Array) -> Array:
    if output == "joined":
        return joined
    projected = joined @ W_o[: joined.shape[-1]]
    ways: dict[str, Callable[[], Array]] = {
        "projected": lambda: projected,
        "residual": lambda: projected + query,
        "twice": lambda: projected @ W_o,
        "relu": lambda: np.maximum(projected, 0),
    }
    return ways[output]()
