"""Embeddings: from tokens to vectors and back (section 3.4)."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from reference.floating import Array, floating


def token_embedding(ids: npt.ArrayLike, table: npt.ArrayLike) -> Array:
    """Return ``table[ids] * sqrt(d_model)``, shape ``(..., d_model)``; the table is ``(vocab, d_model)``.

    Looking up a row is the product of a one-hot vector with the table, only cheaper. The factor is
    that of section 3.4. The paper gives no reason; a usual one is that rows small enough to serve as output
    weights would drown in the positions added to them, which are of size 1.

    Raises ValueError where an id is not a whole number from 0 to vocab - 1 or the table does not have two
    axes.
    """
    rows = floating(table)
    return rows[_token_ids(ids, rows)] * math.sqrt(rows.shape[1])


def tied_output(ids: npt.ArrayLike, table: npt.ArrayLike) -> Array:
    """Return the logits ``table[ids] @ tableᵀ`` of shape ``(..., vocab)``: one table embeds and predicts.

    Section 3.4 shares one matrix between the embeddings and the linear layer before the softmax. This is that
    pair alone, without the factor sqrt(d_model). Raises as `token_embedding` does.
    """
    rows = floating(table)
    logits: Array = rows[_token_ids(ids, rows)] @ rows.T
    return logits


def _token_ids(ids: npt.ArrayLike, rows: Array) -> Array:
    if rows.ndim != 2:
        raise ValueError(f"the table must be (vocab, d_model), but its shape is {rows.shape}")
    tokens = np.asarray(ids)
    if tokens.size == 0:
        tokens = tokens.astype(np.int64)
    if not np.issubdtype(tokens.dtype, np.integer):
        raise ValueError(f"token ids must be whole numbers, not {tokens.dtype}")
    if ((tokens < 0) | (tokens >= rows.shape[0])).any():  # numpy would count a negative id from the end
        raise ValueError(f"token ids must lie between 0 and {rows.shape[0] - 1}")
    return tokens
