"""Layer normalisation and the residual connection around every sublayer (section 3.1; Ba et al. 2016)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from reference.floating import Array, floating

NormPosition: TypeAlias = Literal["post", "pre"]


class Norm(Protocol):
    """What can stand in for `layer_norm`."""

    def __call__(self, x: Array, gain: Array, shift: Array, eps: float, /) -> Array:
        """Return x normalised, same shape."""


def layer_norm(x: npt.ArrayLike, gain: npt.ArrayLike, shift: npt.ArrayLike, eps: float = 1e-5) -> Array:
    """Return ``gain * (x - mean) / sqrt(variance + eps) + shift``, over the last axis of x.

    Gain and shift are ``(d_model,)``. The variance divides by d_model, not by d_model - 1, and eps stands
    under the root. Each position is normalised on its own, so neither the batch nor the length matters.
    """
    values = floating(x)
    centred = values - values.mean(axis=-1, keepdims=True)
    variance = np.mean(centred * centred, axis=-1, keepdims=True)
    result: Array = floating(gain) * (centred / np.sqrt(variance + eps)) + floating(shift)
    return result


def add_norm(
    x: npt.ArrayLike,
    sublayer_output: npt.ArrayLike,
    gain: npt.ArrayLike,
    shift: npt.ArrayLike,
    eps: float = 1e-5,
) -> Array:
    """Return ``LayerNorm(x + Sublayer(x))`` of section 3.1; both arrays are ``(..., d_model)``.

    Raises ValueError where their shapes differ: a residual never broadcasts.
    """
    residual, update = floating(x), floating(sublayer_output)
    if residual.shape != update.shape:
        raise ValueError(f"x is {residual.shape}, but the sublayer returned {update.shape}")
    return layer_norm(residual + update, gain, shift, eps)


def around_sublayer(
    x: Array,
    sublayer: Callable[[Array], Array],
    norm_weights: dict[str, Array],
    *,
    norm_position: NormPosition = "post",
    eps: float = 1e-5,
    norm: Norm = layer_norm,
) -> Array:
    """Put the residual connection and the norm around one sublayer; x and the result are ``(..., d_model)``.

    "post" is the paper's ``norm(x + sublayer(x))``. "pre" is ``x + sublayer(norm(x))``, common since Xiong et
    al. 2020: the residual path then runs through the stack untouched, and the stack needs one more norm at
    its end. `norm_weights` holds ``gain`` and, unless it is zero, ``shift``. Raises ValueError for another
    position.
    """
    gain = floating(norm_weights["gain"])
    shift = floating(norm_weights.get("shift", np.zeros_like(gain)))
    if norm_position == "post":
        return norm(x + sublayer(x), gain, shift, eps)
    if norm_position == "pre":
        return x + sublayer(norm(x, gain, shift, eps))
    raise ValueError(f'norm_position must be "post" or "pre", not {norm_position!r}')
