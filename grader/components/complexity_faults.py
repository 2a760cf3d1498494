"""Counts as students get them wrong: the oracles with knobs, and what to say about each setting."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

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


MODEL_SLIPS: tuple[tuple[Any, ...], ...] = (
    (
        "complexity-no-biases",
        """Biases are not counted.
? How many numbers does nn.Linear(2, 3) hold?
> Every linear layer has one bias for each of its outputs.""",
        {"bias": False},
        {"attention_bias": False},
        {"ff_bias": "none"},
        {"ff_bias": "outer"},
        {"ff_bias": "inner"},
        {"out_bias": False},
    ),
    (
        "complexity-attention-matrices",
        """An attention block does not have four projections.
? Which matrices does multi-head attention have besides those of query, key and value?
> W_Q, W_K, W_V and W_O: four of d_model by d_model.
= The heads are joined by a fourth projection, W_O. Split over the heads, each of the first three is still d_model by
d_model in all.""",
        {"projections": 3},
        {"projections": 5},
    ),
    (
        "complexity-multiplied-by-heads",
        """The attention parameters depend on the number of heads.
? How wide is one head when there are eight?
> h heads of d_model / h columns are d_model columns.
= With more heads each one gets narrower, so the count stays the same: the paper calls the cost similar to that of one
head.""",
        {"per_head": "wide"},
        {"per_head": "wide inputs"},
        {"per_head": "wide blocks"},
        {"per_head": "narrow"},
    ),
    (
        "complexity-bias-widths",
        """The two biases of the feed-forward network are counted with one width.
? How many outputs has the first linear layer of the network, and how many the second?
> A bias is as long as the layer has outputs: d_ff for the first, d_model for the second.""",
        {"ff_bias": "narrow"},
        {"ff_bias": "wide"},
    ),
    (
        "complexity-cross-attention-missing",
        """The decoder layer has one attention block too few.
? How many attention blocks does a decoder layer have?
> Figure 1, on the right: masked self-attention, and attention over the encoder.
= A decoder layer attends twice, and has the parameters of two attention blocks.""",
        {"crosses": 0},
        {"crosses": 0, "norms": (2, 2)},
    ),
    (
        "complexity-norms",
        """The LayerNorms are not counted as they are.
? How many norms does an encoder layer have, and how many a decoder layer?
> One after each sublayer, two vectors of d_model each: 2 in the encoder layer, 3 in the decoder layer.""",
        {"norms": (0, 0)},
        {"norms": (2, 2)},
        {"norms": (3, 3)},
        {"norms": (1, 1)},
        {"norm_size": 1},
    ),
    (
        "complexity-final-norms",
        """Norms after the two stacks are counted.
? Does the model of the hand-out have a norm after its last layer?
> The hand-out says which parts are counted.""",
        {"final_norms": True},
    ),
    (
        "complexity-feed-forward-matrices",
        """The feed-forward network does not have two matrices of d_model by d_ff.
? Which shapes have the two linear layers of the network?
> One goes from d_model to d_ff, the other one back.""",
        {"matrices": 1},
        {"matrices": 3},
        {"ff_width": "d_model"},
        {"ff_width": "four"},
    ),
    (
        "complexity-one-stack",
        """Only the encoder is counted.
? How many stacks does the model have?
> num_layers encoder layers, and as many decoder layers.""",
        {"stacks": 1},
    ),
    (
        "complexity-one-layer",
        """The layers are counted once, and not num_layers times.
? Do the layers share their weights?
> Every layer has parameters of its own.""",
        {"once": True},
    ),
    (
        "complexity-embeddings",
        """The two embedding tables are not counted as they are.
? How many tables does the model have, and of which size?
> One of src_vocab rows and one of tgt_vocab rows, d_model columns each.""",
        {"tables": "target"},
        {"tables": "none"},
        {"tables": "square"},
    ),
    (
        "complexity-embeddings",
        """One table of tgt_vocab rows is left out: the target's embedding, or the weight of the output layer.
? Which parts of the model hold a number for each word of the target and each feature?
> The target's embedding is one table, the output layer's weight another: here they are not tied.""",
        {"tables": "source"},
    ),
    (
        "complexity-output-layer",
        """The output layer is not counted as it is.
? What turns the decoder's vectors into scores of words?
> A linear layer from d_model to tgt_vocab, with its bias; here it is not tied to the embedding.""",
        {"generator": "none"},
        {"generator": "source"},
    ),
)
FLOPS_SLIPS: tuple[tuple[Any, ...], ...] = (
    (
        "complexity-flops-counted-twice",
        """Multiplications and additions are counted apart.
? What does the hand-out count as one?
> One multiply-add is one unit.""",
        {"factor": 2},
    ),
    (
        "complexity-one-product-only",
        """Only one of the two matrix products is counted.
? Which two matrix products are there in equation 1?
> The scores take n·m·d_k, and the weighted sum n·m·d_v.""",
        {"second": 0},
        {"first": 0},
    ),
    (
        "complexity-softmax-counted",
        """The softmax or the scaling is counted too.
? What does the hand-out ask to be counted?
> Only the two matrix products.""",
        {"softmax": 1},
        {"softmax": 2},
        {"softmax": 3},
    ),
    (
        "complexity-sizes-mixed-up",
        """One size stands where another belongs.
? Which of n and m counts the queries? Which width belongs to which product?
> The scores are n by m; d_k is summed over for the first product, and d_v is the width of the second.""",
        {"same": "lengths"},
        {"same": "keys"},
        {"same": "widths"},
        {"swapped": True},
    ),
    (
        "complexity-projections-counted",
        """The projections are counted too.
? What does attention_flops get as its input?
> Q, K and V are given: only QKᵀ and the weighted sum are counted.""",
        {"projections": True},
    ),
)
