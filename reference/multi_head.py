"""Multi-head attention: several small attentions side by side (section 3.2.2)."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

from reference.attention import scaled_dot_product_attention
from reference.floating import Array, Weights, floating


class Attend(Protocol):
    """What can stand in for `scaled_dot_product_attention`."""

    def __call__(self, Q: Array, K: Array, V: Array, mask: Array | None, /) -> tuple[Array, Array]:
        """Return (output, weights)."""


def multi_head_attention(
    query: npt.ArrayLike,
    key: npt.ArrayLike,
    value: npt.ArrayLike,
    weights: Weights,
    num_heads: int,
    mask: npt.ArrayLike | None = None,
    *,
    attend: Attend = scaled_dot_product_attention,
) -> Array:
    """Return ``Concat(head_1, …, head_h) W^O`` with ``head_i = Attention(Q W_i^Q, K W_i^K, V W_i^V)``.

    query is ``(..., n, d_model)``, key and value are ``(..., m, d_model)``, the result is ``(..., n,
    d_model)``. `weights` holds ``w_q w_k w_v w_o``, used as ``x @ w``, and ``b_q b_k b_v b_o``, each of which
    may be absent (the paper writes none). The h matrices W_i^Q stand side by side in one w_q: head i owns the
    i-th block of d_k = d_model / h columns. Self-attention passes one array three times; encoder-decoder
    attention takes the query from the decoder and key and value from the encoder's output (section 3.2.3).

    `mask` is boolean, True = may attend: 2 axes ``(n, m)`` for all, 3 axes ``(batch, n, m)`` per sample, 4
    axes broadcastable to ``(batch, heads, n, m)``.

    `attend` replaces the attention of each head by another function.

    Raises ValueError where num_heads does not divide the projected width.
    """
    q = split_heads(_project(query, weights, "q"), num_heads)
    k = split_heads(_project(key, weights, "k"), num_heads)
    v = split_heads(_project(value, weights, "v"), num_heads)
    output, _ = attend(q, k, v, mask_per_head(mask))
    return _project(merge_heads(output), weights, "o")


def split_heads(x: Array, num_heads: int) -> Array:
    """Return ``(..., n, h * d)`` as ``(..., h, n, d)``. Raises ValueError where h does not divide it."""
    *lead, n, width = x.shape
    if num_heads < 1 or width % num_heads:
        raise ValueError(f"d_model = {width} cannot be split evenly into {num_heads} heads")
    return x.reshape(*lead, n, num_heads, width // num_heads).swapaxes(-2, -3)


def merge_heads(x: Array) -> Array:
    """Return ``(..., h, n, d)`` as ``(..., n, h * d)``: concatenation, the inverse of `split_heads`."""
    *lead, num_heads, n, width = x.shape
    return x.swapaxes(-2, -3).reshape(*lead, n, num_heads * width)


def mask_per_head(mask: npt.ArrayLike | None) -> Array | None:
    """Return the mask with an axis for the heads, where it has a batch but no heads: ``(batch, 1, n, m)``."""
    if mask is None:
        return None
    allowed = np.asarray(mask)
    return allowed[:, np.newaxis] if allowed.ndim == 3 else allowed


def _project(x: npt.ArrayLike, weights: Weights, role: str) -> Array:
    projected: Array = floating(x) @ floating(weights[f"w_{role}"])
    bias = weights.get(f"b_{role}")
    return projected if bias is None else projected + floating(bias)
