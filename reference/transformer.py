"""The whole model: embeddings, encoder, decoder and a linear layer for the next token (figure 1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NotRequired, TypedDict, Unpack

import numpy as np
import numpy.typing as npt

from reference.decoder import decoder
from reference.embedding import token_embedding
from reference.encoder import LayerOptions, encoder
from reference.floating import Array, Weights, floating
from reference.masks import causal_mask
from reference.positional import positional_encoding

TransformerWeights = TypedDict(
    "TransformerWeights",
    {
        "src_table": Array,
        "tgt_table": Array,
        "encoder": Sequence[Weights],
        "decoder": Sequence[Weights],
        "encoder_norm": NotRequired[Weights],
        "decoder_norm": NotRequired[Weights],
        "generator.w": NotRequired[Array],
        "generator.b": NotRequired[Array],
    },
)
"""The weights of `transformer`: two tables ``(vocab, d_model)``, a dict per layer, norms and generator."""


def transformer(
    src: npt.ArrayLike,
    tgt: npt.ArrayLike,
    weights: TransformerWeights,
    num_heads: int,
    src_mask: npt.ArrayLike | None = None,
    tgt_mask: npt.ArrayLike | None = None,
    *,
    embed: Callable[[Any, Array], Array] = token_embedding,
    position: Callable[[int, int], Array] = positional_encoding,
    causal: Callable[[int], Array] = causal_mask,
    encode: Callable[..., Array] = encoder,
    decode: Callable[..., Array] = decoder,
    **options: Unpack[LayerOptions],
) -> Array:
    """Return the logits ``(batch, n_tgt, tgt_vocab)`` for ids ``(batch, n_src)`` and ``(batch, n_tgt)``.

    The row at target position i predicts the token that follows tgt[i]; a softmax turns it into
    probabilities. `src_mask` is used in the encoder and in cross-attention, `tgt_mask` in the decoder's
    self-attention, which is causal where `tgt_mask` is None. A mask that is given is used as it is.

    `weights`: ``src_table``, ``tgt_table``, the lists ``encoder`` and ``decoder`` with one dict a layer,
    optionally ``encoder_norm`` and ``decoder_norm`` with ``gain`` and ``shift``, ``generator.w`` ``(d_model,
    tgt_vocab)`` and ``generator.b``. Without ``generator.w`` the output is tied: the target table, transposed
    (section 3.4).

    Every part can be replaced: `embed`, `position`, `causal`, `encode`, `decode`, and through the options
    `mha`, `ffn`, `norm`. Dropout is left out, as in evaluation. Raises ValueError for ids outside a table,
    heads that do not divide d_model, masks that are not boolean.
    """
    source, target = np.asarray(src), np.asarray(tgt)
    seen = causal(target.shape[-1]) if tgt_mask is None else tgt_mask
    memory = encode(
        _embed_with_positions(source, weights["src_table"], embed, position),
        weights["encoder"],
        num_heads,
        src_mask,
        weights.get("encoder_norm"),
        **options,
    )
    hidden = decode(
        _embed_with_positions(target, weights["tgt_table"], embed, position),
        memory,
        weights["decoder"],
        num_heads,
        src_mask,
        seen,
        weights.get("decoder_norm"),
        **options,
    )
    return generate(hidden, weights)


def generate(hidden: Array, weights: TransformerWeights) -> Array:
    """Return ``hidden @ generator.w + generator.b``; the target table stands in for an absent matrix."""
    matrix = weights["generator.w"] if "generator.w" in weights else np.transpose(weights["tgt_table"])
    logits: Array = hidden @ floating(matrix)
    return logits + floating(weights["generator.b"]) if "generator.b" in weights else logits


def _embed_with_positions(
    ids: Array, table: Array, embed: Callable[[Any, Array], Array], position: Callable[[int, int], Array]
) -> Array:
    vectors = embed(ids, floating(table))
    # The table of sines is float64; adding it must not widen a float32 model.
    summed: Array = vectors + position(ids.shape[-1], vectors.shape[-1]).astype(vectors.dtype)
    return summed
