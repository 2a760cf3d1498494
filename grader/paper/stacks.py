"""Stacks, embeddings and the whole model in numpy, with knobs: the paper where no knob is turned."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from grader.paper.attention import triangular
from grader.paper.embedding import embed as rows_of
from grader.paper.layers import decoder_layer, encoder_layer
from grader.paper.positions import positional_encoding
from grader.paper.softmax import softmax
from grader.paper.sublayers import NONE, Knobs, layer_norm, of
from grader.paper.weights import Array, Roles


def encoder(x: Array, weights: Roles, heads: int, layers: int, mask: Array | None, knobs: Knobs = NONE) -> Array:
    """Run x through ``layer_1 …``; a final norm where the weights have one."""

    def layer(number: int, entered: Array) -> Array:
        seen = mask if _gets(knobs.get("encoder.masked", "all"), number, layers) else None
        if knobs.get("encoder.causal"):
            causal = np.tri(entered.shape[1], dtype=bool)
            seen = causal if seen is None else seen & causal
        return encoder_layer(entered, weights.part(f"layer_{number}"), heads, seen, knobs)

    return _through(_normed_first(x, weights, knobs, "encoder"), layer, weights, layers, knobs, "encoder")


def decoder(
    x: Array,
    memory: Array,
    weights: Roles,
    heads: int,
    layers: int,
    src_mask: Array | None,
    tgt_mask: Array | None,
    knobs: Knobs = NONE,
) -> Array:
    """Run x through ``layer_1 …``, all reading the same memory."""
    x = _normed_first(x, weights, knobs, "decoder")
    if knobs.get("decoder.memory_norm"):
        memory = layer_norm(memory, weights.part("norm"), knobs)

    def layer(number: int, entered: Array) -> Array:
        nonlocal memory
        source = src_mask if _gets(knobs.get("decoder.src_masked", "all"), number, layers) else None
        target = tgt_mask if _gets(knobs.get("decoder.tgt_masked", "all"), number, layers) else None
        after = decoder_layer(entered, memory, weights.part(f"layer_{number}"), heads, source, target, knobs)
        replaced = knobs.get("decoder.memory") == "replaced" or (
            knobs.get("decoder.memory") == "replaced where alike" and after.shape == memory.shape
        )
        memory = after if replaced else memory
        return after

    return _through(x, layer, weights, layers, knobs, "decoder")


def _through(
    x: Array, layer: Callable[[int, Array], Array], weights: Roles, layers: int, knobs: Knobs, stack: str
) -> Array:
    """Run x through the layers of a stack, each of which gets its number and what it runs on."""
    start, states = x, [x]
    for number in _numbers(layers, knobs, stack):
        x = layer(number, start if knobs.get(f"{stack}.layers") == "on_input" else x)
        x = x + start if knobs.get(f"{stack}.adds_input") is True else x
        x = layer_norm(x, weights.part("norm"), knobs) if knobs.get(f"{stack}.final_norm") == "each" else x
        states.append(x)
    x = x + start if knobs.get(f"{stack}.adds_input") == "end" else x
    x = _GATHERED[knobs[f"{stack}.gathers"]](states) if knobs.get(f"{stack}.gathers") else x
    return layer_norm(x, weights.part("norm"), knobs) if knobs.get(f"{stack}.final_norm") is True else x


_GATHERED: Mapping[str, Callable[[list[Array]], Array]] = {
    "sum": lambda states: np.asarray(sum(states[1:])),
    "mean": lambda states: np.asarray(np.mean(states[1:], axis=0)),
    "sum with the input": lambda states: np.asarray(sum(states)),
}
"""What is made of the stack's input and of what each layer gave, where it is not the last of them."""


def _normed_first(x: Array, weights: Roles, knobs: Knobs, stack: str) -> Array:
    """The stack's input as its first layer reads it: some put a norm there, by itself or that of the end."""
    which = knobs.get(f"{stack}.first_norm", "")
    return layer_norm(x, weights.part(which) if which != "bare" else Roles({}), knobs) if which else x


def _gets(which: str, number: int, layers: int) -> bool:
    """Whether a layer gets the mask that all of them get, or the first or the last one alone."""
    return which == "all" or number == {"first": 1, "last": layers}[which]


def _numbers(layers: int, knobs: Knobs, stack: str) -> list[int]:
    forward = list(range(1, layers + 1))
    return {
        "all": forward,
        "on_input": forward,
        "none": [],
        "first": forward[:1],
        "last": forward[-1:],
        "one_more": [*forward, layers],
        "more": [*forward, layers + 1],
    }[knobs.get(f"{stack}.layers", "all")]


# ---------------------------------------------------------------------------------- embeddings and the model


def positions(length: int, d_model: int, knobs: Knobs = NONE) -> Array:
    """Section 3.5's table ``(length, d_model)``; row 0 is position 0."""
    return np.asarray(positional_encoding(length, d_model, **of("pe", knobs)), dtype=np.float64)


def embed(ids: Array, table: Array, knobs: Knobs = NONE) -> Array:
    """Section 3.4: the rows times sqrt(d_model)."""
    return rows_of(ids, table, **of("emb", knobs))


_SUMS: Mapping[str, Callable[[Array, Array], Array]] = {
    "none": lambda vectors, _: vectors,
    "multiplied": lambda vectors, rows: np.asarray(vectors * rows),
    "instead": lambda vectors, rows: np.broadcast_to(rows, vectors.shape),
    "scaled": lambda vectors, rows: np.asarray(vectors + rows * math.sqrt(vectors.shape[-1])),
    "twice": lambda vectors, rows: np.asarray(vectors + 2 * rows),
    "subtracted": lambda vectors, rows: np.asarray(vectors - rows),
}


def embed_with_positions(ids: Array, table: Array, knobs: Knobs, side: str) -> Array:
    """Embedding plus table, with the model's own ways of getting that wrong."""
    how = knobs.get(f"trf.pe_{side}", knobs.get("trf.pe", "added"))
    rows = _rows(how, ids, table.shape[1], knobs)
    if ids.size and ids.max() >= len(table):
        raise IndexError("index out of range")
    if how == "before_scale":
        return np.asarray((table[ids] + rows) * math.sqrt(table.shape[1]))
    own = knobs.get(f"trf.scale_{side}")
    vectors = embed(ids, table, knobs if own is None else {"emb.scale": own})
    return _SUMS[how](vectors, rows) if how in _SUMS else np.asarray(vectors + rows)


def entered(inputs: Mapping[str, Any], weights: Roles, knobs: Knobs, side: str) -> Array:
    """What a stack runs on: the vectors that it is given, or ids that it embeds itself, with their positions."""
    if "ids" not in inputs:
        return np.asarray(inputs["x"])
    vectors = embed_with_positions(inputs["ids"], weights.must(f"{side}_table"), knobs, side)
    return layer_norm(vectors, weights.part("norm_first"), knobs) if knobs.get("trf.first_norm") else vectors


def hiding_padding(mask: Array | None, ids: Array | None, knobs: Knobs, side: str) -> Array | None:
    """The mask of a call; where it has none and the model hides padding by itself, ``(batch, 1, 1, m)`` of its ids."""
    if mask is not None or ids is None or side not in knobs.get("trf.own_padding", ""):
        return mask
    return np.asarray(ids != knobs.get("trf.pad", 0))[:, None, None]


def left(hidden: Array, inputs: Mapping[str, Any], weights: Roles, knobs: Knobs) -> Array:
    """What a stack returns: its vectors, or where it embeds ids and says so, what an output layer makes of them."""
    how = knobs.get("stack.output")
    return logits(hidden, weights, {**knobs, "trf.output": how}) if how and "ids" in inputs else hidden


def _rows(how: str, ids: Array, d_model: int, knobs: Knobs) -> Array:
    """The rows of the table that are put together with the embedding."""
    n = ids.shape[-1]
    if how in {"by_batch", "by_id"}:
        count = ids.shape[0] if how == "by_batch" else knobs.get("trf.rows", int(ids.max()) + 1)
        table = positions(count, d_model, knobs)
        return table[:, None, :] if how == "by_batch" else table[ids]
    single = {
        "single_row_last": (n, n - 1),
        "single_row_next": (n + 1, n),
        "first_row": (1, 0),
        "second_row": (2, 1),
        "last_row_of_all": (knobs.get("trf.rows", n), knobs.get("trf.rows", n) - 1),
    }
    if how in single:
        length, row = single[how]
        if row >= knobs.get("trf.rows", math.inf):
            raise IndexError(f"index {row} is out of bounds for dimension 0 with size {row}")
        return np.asarray(positions(length, d_model, knobs)[row])
    if how == "after_source":
        if knobs["trf.source"] + n > knobs.get("trf.rows", math.inf):
            raise ValueError("a slice beyond the table has too few rows to broadcast")
        return positions(knobs["trf.source"] + n, d_model, knobs)[-n:]
    if how.startswith("from_one"):
        if n + 1 > knobs.get("trf.rows", math.inf):
            looked_up = how.endswith("looked up")
            raise IndexError("index out of range") if looked_up else ValueError("too few rows to broadcast")
        return positions(n + 1, d_model, knobs)[1:]
    table = positions(n if how == "from_the_end" else max(n, knobs.get("trf.rows", n)), d_model, knobs)[:n]
    return table[::-1] if how == "from_the_end" else table


def transformer(
    src: Array,
    tgt: Array,
    weights: Roles,
    heads: int,
    layers: int,
    src_mask: Array | None,
    tgt_mask: Array | None,
    knobs: Knobs = NONE,
) -> Array:
    """Figure 1: logits ``(batch, n_tgt, tgt_vocab)``; causal where tgt_mask is None, or of keys alone (padding)."""
    if knobs.get("trf.swapped"):
        src, tgt = tgt, src
    tgt = _shifted(tgt, knobs.get("trf.shift", ""))
    n = tgt.shape[1]
    seen = tgt_mask
    if tgt_mask is None or knobs.get("trf.tgt_mask") == "ignored":
        seen = triangle(n, knobs, src.shape[1])
    elif tgt_mask.shape[-2] == 1 < n and (later := triangle(n, knobs, src.shape[1])) is not None:
        seen = np.asarray(tgt_mask) & later
    real = hiding_padding(None, tgt, knobs, "tgt") if tgt_mask is None else None
    if real is not None:
        seen = real if seen is None else seen & real
    src_mask = hiding_padding(src_mask, src, knobs, "src")
    use = knobs.get("trf.src_mask", "both")
    in_encoder = seen if use == "tgt_in_encoder" else src_mask if use in {"both", "encoder"} else None
    if in_encoder is None and knobs.get("trf.src_causal"):
        in_encoder = np.tri(src.shape[1], dtype=bool)
    in_decoder = src_mask if use in {"both", "decoder", "tgt_in_encoder"} else None
    first = embed_with_positions(src, weights.must(knobs.get("trf.src_table", "src_table")), knobs, "src")
    if knobs.get("trf.first_norm"):
        first = layer_norm(first, weights.part("encoder").part("norm_first"), knobs)
    if knobs.get("trf.memory") == "no encoder":
        memory = first
    else:
        memory = encoder(first, weights.part("encoder"), heads, layers, in_encoder, knobs)
    memory = first if knobs.get("trf.memory") == "embeddings" else memory
    beside = {**knobs, "trf.source": src.shape[1]}
    target = embed_with_positions(tgt, weights.must(knobs.get("trf.tgt_table", "tgt_table")), beside, "tgt")
    if knobs.get("trf.first_norm"):
        target = layer_norm(target, weights.part("decoder").part("norm_first"), knobs)
    hidden = decoder(target, memory, weights.part("decoder"), heads, layers, in_decoder, seen, knobs)
    return logits(hidden, weights, knobs)


def triangle(n: int, knobs: Knobs, source: int = 0) -> Array | None:
    """The causal mask ``(n, n)`` that a model makes itself, with its own ways of getting that wrong."""
    which = knobs.get("trf.causal", "always")
    if which == "none":
        return None
    return triangular("always", source, source) if which == "by_source" else triangular(which, n, n)


def _shifted(tgt: Array, how: str) -> Array:
    """The target as a model sees it that shifts it once more."""
    if not how:
        return tgt
    front = {"repeated": tgt[:, :1], "zero": np.zeros_like(tgt[:, :1]), "rolled": tgt[:, -1:]}[how]
    return np.concatenate([front, tgt[:, :-1]], axis=1)


_ENDED: Mapping[str, Callable[[Array], Array]] = {
    "relu": lambda scores: np.asarray(np.maximum(scores, 0)),
    "sigmoid": lambda scores: np.asarray(1 / (1 + np.exp(-scores))),
    "log_sigmoid": lambda scores: -np.logaddexp(0.0, -scores),
}
"""What some put behind the output layer, word by word."""


def logits(hidden: Array, weights: Roles, knobs: Knobs) -> Array:
    """What the output layer makes of the decoder's vectors."""
    if knobs.get("trf.generator") == "none":
        return hidden
    scores = hidden @ weights.must("generator.w")
    bias = weights.get("generator.b")
    scores = scores if bias is None else scores + bias
    how: Any = knobs.get("trf.output", "logits")
    cuts: dict[str, Any] = {
        "last_position": -1,
        "last_positions": slice(-1, None),
        "but_the_last": slice(-1),
        "but_the_first": slice(1, None),
    }
    if how in cuts:
        return np.asarray(scores[:, cuts[how]])
    if how == "logits":
        return scores
    if how == "scaled":
        return np.asarray(scores / math.sqrt(hidden.shape[-1]))
    if how in _ENDED:
        return _ENDED[how](scores)
    axis = 1 if how.endswith("_over_positions") else -1
    return softmax(scores, axis, logs="exact" if how.startswith("log_") else "")
