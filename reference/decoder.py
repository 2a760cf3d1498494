"""The decoder: like the encoder, plus a sublayer that reads the encoder's output (section 3.1, figure 1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Unpack

import numpy.typing as npt

from reference.encoder import FeedForward, LayerOptions, MultiHead, apply_feed_forward, apply_final_norm
from reference.feed_forward import feed_forward
from reference.floating import Array, Weights, floating, part
from reference.layer_norm import Norm, NormPosition, around_sublayer, layer_norm
from reference.multi_head import multi_head_attention


def decoder_layer(
    x: npt.ArrayLike,
    memory: npt.ArrayLike,
    weights: Weights,
    num_heads: int,
    src_mask: npt.ArrayLike | None = None,
    tgt_mask: npt.ArrayLike | None = None,
    *,
    norm_position: NormPosition = "post",
    eps: float = 1e-5,
    mha: MultiHead = multi_head_attention,
    ffn: FeedForward = feed_forward,
    norm: Norm = layer_norm,
) -> Array:
    """Masked self-attention, attention to the memory, feed-forward; each with a residual and a norm.

    x is ``(..., n_tgt, d_model)``, memory ``(..., n_src, d_model)``, the result has the shape of x.
    `tgt_mask` is used in self-attention, `src_mask`, broadcastable to ``(..., n_tgt, n_src)``, in
    cross-attention; axes as in `multi_head_attention`. No mask means that everything may be seen: causality
    is the caller's choice here.

    `weights`: ``self_attention.*``, ``cross_attention.*``, ``feed_forward.*``, ``norm_1`` to ``norm_3``. With
    pre-norm the memory is not normalised again. Options and errors are those of `encoder_layer`.
    """
    source = floating(memory)

    def attend_to_itself(y: Array) -> Array:
        return mha(y, y, y, part(weights, "self_attention"), num_heads, tgt_mask)

    def attend_to_memory(y: Array) -> Array:
        return mha(y, source, source, part(weights, "cross_attention"), num_heads, src_mask)

    def transform(y: Array) -> Array:
        return apply_feed_forward(y, weights, ffn)

    hidden = floating(x)
    for number, sublayer in enumerate((attend_to_itself, attend_to_memory, transform), start=1):
        norm_weights = part(weights, f"norm_{number}")
        hidden = around_sublayer(hidden, sublayer, norm_weights, norm_position=norm_position, eps=eps, norm=norm)
    return hidden


def decoder(
    x: npt.ArrayLike,
    memory: npt.ArrayLike,
    layers: Sequence[Weights],
    num_heads: int,
    src_mask: npt.ArrayLike | None = None,
    tgt_mask: npt.ArrayLike | None = None,
    final_norm: Weights | None = None,
    *,
    layer: Callable[..., Array] = decoder_layer,
    **options: Unpack[LayerOptions],
) -> Array:
    """Run x ``(..., n_tgt, d_model)`` through one layer per entry of `layers`; all read the same memory.

    `final_norm`, `layer` and the options are those of `encoder`. Raises as `decoder_layer` does.
    """
    hidden = floating(x)
    for weights in layers:
        hidden = layer(hidden, memory, weights, num_heads, src_mask, tgt_mask, **options)
    return apply_final_norm(hidden, final_norm, options)
