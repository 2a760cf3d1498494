"""Counts with knobs, every default being the right choice."""

from __future__ import annotations

from collections.abc import Callable, Mapping

_BIASES: Mapping[str, Callable[[int, int], int]] = {
    "both": lambda inner, outer: inner + outer,
    "none": lambda *_: 0,
    "inner": lambda inner, _: inner,
    "outer": lambda _, outer: outer,
    "narrow": lambda _, outer: 2 * outer,
    "wide": lambda inner, _: 2 * inner,
}


def workshop(
    d_model: int,
    num_heads: int,
    num_layers: int,
    d_ff: int,
    src_vocab: int,
    tgt_vocab: int,
    *,
    bias: bool = True,
    attention_bias: bool = True,
    ff_bias: str = "both",
    out_bias: bool = True,
    projections: int = 4,
    per_head: str = "",
    crosses: int = 1,
    norms: tuple[int, int] = (2, 3),
    norm_size: int = 2,
    final_norms: bool = False,
    matrices: int = 2,
    ff_width: str = "d_ff",
    stacks: int = 2,
    once: bool = False,
    tables: str = "both",
    generator: str = "own",
    positions: bool = False,
    share: int = 1,
) -> int:
    """The oracle with knobs: which parts are counted, and how often."""
    width = {"narrow": d_model // num_heads, "wide": d_model}.get(per_head, d_model)
    one = d_model * width + (width if bias and attention_bias else 0)
    last = d_model * d_model, d_model if bias and attention_bias else 0
    attention = (projections - 1) * one * (num_heads if per_head.startswith("wide") else 1)
    attention += last[0] * (num_heads if per_head in {"wide", "wide blocks"} else 1)
    attention += last[1] * (num_heads if per_head == "wide blocks" else 1)
    inner = {"d_ff": d_ff, "d_model": d_model, "four": 4 * d_model}[ff_width]
    feed_forward = matrices * d_model * inner + (_BIASES[ff_bias](inner, d_model) if bias else 0)
    encoder = attention + feed_forward + norms[0] * norm_size * d_model
    decoder = (1 + crosses) * attention + feed_forward + norms[1] * norm_size * d_model
    layers = (1 if once else num_layers) * (encoder + (decoder if stacks == 2 else 0))
    vocab = {
        "both": src_vocab + tgt_vocab,
        "source": src_vocab,
        "target": tgt_vocab,
        "none": 0,
        "square": src_vocab * 2,
    }
    output = {"own": d_model * tgt_vocab, "source": d_model * src_vocab, "none": 0}[generator]
    output += (tgt_vocab if generator == "own" else src_vocab) if bias and out_bias and generator != "none" else 0
    extra = (4 * d_model if final_norms else 0) + (d_model if positions else 0)
    return (vocab[tables] * d_model + layers + output + extra) // share


def flops(
    n: int, m: int, d_k: int, d_v: int, *, factor: int = 1, first: int = 1, second: int = 1, softmax: int = 0,
    scale: int = 0, same: str = "", projections: bool = False, swapped: bool = False,
) -> int:  # fmt: skip
    """The oracle of ``attention_flops`` with knobs."""
    if same == "lengths":
        m = n
    if same == "keys":
        n = m
    if same == "widths":
        d_v = d_k
    if swapped:
        n, m, d_k, d_v = d_k, d_v, n, m
    linear = (n + m) * d_k * d_k + m * d_v * d_v if projections else 0
    return factor * (first * n * m * d_k + second * n * m * d_v + (softmax + scale) * n * m) + linear
