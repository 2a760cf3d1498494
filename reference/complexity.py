"""Counting: the parameters of a model and the work of attention (section 4, tables 1 and 3)."""

from __future__ import annotations


def count_parameters(d_model: int, num_heads: int, num_layers: int, d_ff: int, src_vocab: int, tgt_vocab: int) -> int:
    """Return the number of trained numbers in the `Transformer` of ``reference.modules``.

    That model has a bias in every linear layer, two separate embedding tables, a generator with a bias that
    is not tied to them, gain and shift in every norm, and no norm after a stack. Positions are sines, so they
    cost nothing. The number of heads changes nothing either: h heads of d_model / h columns are d_model
    columns.

    Raises ValueError where an argument is below 1 (num_layers: below 0) or num_heads does not divide d_model.
    """
    if min(d_model, num_heads, d_ff, src_vocab, tgt_vocab) < 1 or num_layers < 0:
        raise ValueError("sizes must be at least 1, and num_layers at least 0")
    if d_model % num_heads:
        raise ValueError(f"d_model = {d_model} cannot be split evenly into {num_heads} heads")
    attention = 4 * (d_model * d_model + d_model)
    feed_forward = (d_model * d_ff + d_ff) + (d_ff * d_model + d_model)
    norm = 2 * d_model
    encoder_layer = attention + feed_forward + 2 * norm
    decoder_layer = 2 * attention + feed_forward + 3 * norm
    tables = (src_vocab + tgt_vocab) * d_model
    generator = d_model * tgt_vocab + tgt_vocab
    return tables + num_layers * (encoder_layer + decoder_layer) + generator


def attention_flops(n: int, m: int, d_k: int, d_v: int) -> int:
    """Return the multiply-adds of ``Q Kᵀ`` and of ``weights V``: ``n m d_k + n m d_v``.

    n queries, m keys. With n = m this is the n² of table 1. Scaling and softmax, n m steps each, are not
    counted. Raises ValueError where a size is negative.
    """
    if min(n, m, d_k, d_v) < 0:
        raise ValueError("sizes cannot be negative")
    return n * m * d_k + n * m * d_v
