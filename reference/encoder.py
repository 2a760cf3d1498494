"""The encoder: a stack of layers, alike but each with its own weights (section 3.1, figure 1, left)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypedDict, Unpack

import numpy as np
import numpy.typing as npt

from reference.feed_forward import feed_forward
from reference.floating import Array, Weights, floating, part
from reference.layer_norm import Norm, NormPosition, around_sublayer, layer_norm
from reference.multi_head import multi_head_attention


class MultiHead(Protocol):
    """What can stand in for `multi_head_attention`."""

    def __call__(
        self,
        query: Array,
        key: Array,
        value: Array,
        weights: Weights,
        num_heads: int,
        mask: npt.ArrayLike | None,
        /,
    ) -> Array:
        """Return the attended values, shaped as the query."""


class FeedForward(Protocol):
    """What can stand in for `feed_forward`."""

    def __call__(self, x: Array, W_1: Array, b_1: Array, W_2: Array, b_2: Array, /) -> Array:
        """Return an array shaped as x."""


class LayerOptions(TypedDict, total=False):
    """The options that a stack hands on to each of its layers."""

    norm_position: NormPosition
    eps: float
    mha: MultiHead
    ffn: FeedForward
    norm: Norm


def encoder_layer(
    x: npt.ArrayLike,
    weights: Weights,
    num_heads: int,
    mask: npt.ArrayLike | None = None,
    *,
    norm_position: NormPosition = "post",
    eps: float = 1e-5,
    mha: MultiHead = multi_head_attention,
    ffn: FeedForward = feed_forward,
    norm: Norm = layer_norm,
) -> Array:
    """Self-attention, then feed-forward, each with a residual and a norm; ``(..., n, d_model)`` in and out.

    `weights`: ``self_attention.w_q …``, ``feed_forward.w_1 b_1 w_2 b_2``, ``norm_1.gain``, ``norm_1.shift``,
    ``norm_2.*``; biases and shifts may be absent. The mask is that of `multi_head_attention`.

    `mha`, `ffn` and `norm` replace the parts; ``functools.partial(multi_head_attention, attend=…)`` reaches
    deeper.

    Raises ValueError where num_heads does not divide d_model or norm_position is neither "post" nor "pre".
    """

    def attend_to_itself(y: Array) -> Array:
        return mha(y, y, y, part(weights, "self_attention"), num_heads, mask)

    def transform(y: Array) -> Array:
        return apply_feed_forward(y, weights, ffn)

    attended = around_sublayer(
        floating(x),
        attend_to_itself,
        part(weights, "norm_1"),
        norm_position=norm_position,
        eps=eps,
        norm=norm,
    )
    return around_sublayer(
        attended, transform, part(weights, "norm_2"), norm_position=norm_position, eps=eps, norm=norm
    )


def encoder(
    x: npt.ArrayLike,
    layers: Sequence[Weights],
    num_heads: int,
    mask: npt.ArrayLike | None = None,
    final_norm: Weights | None = None,
    *,
    layer: Callable[..., Array] = encoder_layer,
    **options: Unpack[LayerOptions],
) -> Array:
    """Run x ``(..., n, d_model)`` through one layer per entry of `layers` (the paper has 6); same shape out.

    `final_norm` holds the ``gain`` and ``shift`` of one more norm at the end. The paper has none; a pre-norm
    stack needs it. `layer` replaces `encoder_layer`; the other options go to each layer. Raises as
    `encoder_layer` does.
    """
    hidden = floating(x)
    for weights in layers:
        hidden = layer(hidden, weights, num_heads, mask, **options)
    return apply_final_norm(hidden, final_norm, options)


def apply_feed_forward(x: Array, weights: Weights, ffn: FeedForward) -> Array:
    """Call `ffn` with the weights ``feed_forward.*`` of a layer; an absent bias is a row of zeros."""
    w_1, w_2 = floating(weights["feed_forward.w_1"]), floating(weights["feed_forward.w_2"])
    b_1 = weights.get("feed_forward.b_1", np.zeros(w_1.shape[-1], w_1.dtype))
    b_2 = weights.get("feed_forward.b_2", np.zeros(w_2.shape[-1], w_2.dtype))
    return ffn(x, w_1, b_1, w_2, b_2)


def apply_final_norm(x: Array, final_norm: Weights | None, options: LayerOptions) -> Array:
    """Normalise the output of a stack, where it has a final norm."""
    if final_norm is None:
        return x
    gain = floating(final_norm["gain"])
    shift = floating(final_norm.get("shift", np.zeros_like(gain)))
    return options.get("norm", layer_norm)(x, gain, shift, options.get("eps", 1e-5))
