"""Masks: which key each query may attend to (section 3.2.3). True = may attend, in this whole package."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from reference.floating import Array


def causal_mask(n: int) -> Array:
    """Return the boolean ``(n, n)`` mask that is True on and below the diagonal.

    Position i sees positions 0 to i, itself included, so that a prediction never reads what it has to predict
    (section 3.2.3, third point). Raises ValueError where n is negative.
    """
    if n < 0:
        raise ValueError(f"a sequence cannot have {n} positions")
    return np.tril(np.ones((n, n), dtype=np.bool_))


def padding_mask(lengths: npt.ArrayLike, max_len: int) -> Array:
    """Return the boolean ``(batch, max_len)`` mask that is True at real positions.

    `lengths` holds one whole number per sequence; 0 gives a row of False. Raises ValueError where the lengths
    are not a flat list of whole numbers from 0 to `max_len`.
    """
    counts = np.asarray(lengths)
    if counts.size == 0:
        counts = counts.astype(np.int64)
    if counts.ndim != 1 or not np.issubdtype(counts.dtype, np.integer):
        raise ValueError(f"lengths must be a flat list of whole numbers, not {counts.dtype} of shape {counts.shape}")
    if ((counts < 0) | (counts > max_len)).any():
        raise ValueError(f"every length must lie between 0 and max_len = {max_len}, but they are {counts.tolist()}")
    real: Array = np.arange(max_len) < counts[:, np.newaxis]
    return real


def make_src_mask(ids: npt.ArrayLike, pad_id: int) -> Array:
    """Return the boolean ``(batch, 1, 1, n)`` mask of source ids ``(batch, n)``: no query reads padding.

    The two axes of length 1 stand for the heads and for the queries: keys are masked, never query rows.
    Raises ValueError where the ids do not have two axes.
    """
    real: Array = _id_matrix(ids) != pad_id
    return real[:, np.newaxis, np.newaxis, :]


def make_tgt_mask(ids: npt.ArrayLike, pad_id: int) -> Array:
    """Return the boolean ``(batch, 1, n, n)`` mask for target ids ``(batch, n)``: causal and not padding.

    Raises ValueError where the ids do not have two axes.
    """
    tokens = _id_matrix(ids)
    both: Array = make_src_mask(tokens, pad_id) & causal_mask(tokens.shape[1])
    return both


def _id_matrix(ids: npt.ArrayLike) -> Array:
    tokens = np.asarray(ids)
    if tokens.ndim != 2:
        raise ValueError(f"ids must be (batch, n), but their shape is {tokens.shape}")
    return tokens
