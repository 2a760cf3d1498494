"""Multi-head attention of arrays: the paper's with settings, and what only a function can do."""

from collections.abc import Mapping
from inspect import signature
from typing import Any

import numpy as np

from grader.paper.attention import attention
from grader.paper.heads import OF_ONE_HEAD, multi_head
from grader.paper.softmax import softmax
from grader.paper.weights import Roles

WITHIN = frozenset(signature(attention).parameters) | frozenset(signature(softmax).parameters)
"""Settings of the attention within the heads."""


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
    residual: bool = False,
    in_place: bool = False,
    ranks: str = "any",
    returns: str = "output",
    **settings: Any,
) -> Any:
    """The paper's multi-head attention with settings: what is returned, and what is written into the arguments."""
    if (ranks == "matrix" and np.ndim(query) != 2) or (ranks == "batch" and np.ndim(query) != 3):
        raise ValueError("wrong number of values to unpack")
    W_o = W_o[: len(W_o) // num_heads] if settings.get("merge") in OF_ONE_HEAD else W_o
    weights = Roles({"w_q": W_q, "w_k": W_k, "w_v": W_v, "w_o": W_o})
    within: Mapping[str, Any] = {name: settings.pop(name) for name in WITHIN & settings.keys()}
    result, seen = multi_head(query, key, value, weights, num_heads, mask, within=within, **settings)
    result = result + query if residual else result
    if in_place:
        query += result  # as `x += attention(x)` does inside the function
    return result if returns == "output" else (result, seen)
