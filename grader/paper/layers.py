"""Encoder and decoder layer in numpy, with knobs: the paper where no knob is turned.

A layer is a row of stages, each a sublayer with its residual sum and norm. Knobs of a stage carry the layer's kind and
the stage's number: ``enc.residual.2`` is the residual of the encoder layer's second stage.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from grader.paper.sublayers import NONE, Knobs, feed_forward, layer_norm, multi_head
from grader.paper.weights import Array, Roles

_READ = ("query", "key", "value")
SUBLAYERS = {"enc": ("self_attention", "feed_forward"), "dec": ("self_attention", "cross_attention", "feed_forward")}


def encoder_layer(x: Array, weights: Roles, heads: int, mask: Array | None, knobs: Knobs = NONE) -> Array:
    """Self-attention and feed-forward, each with residual and norm; ``(batch, n, d_model)``."""
    return _Layer("enc", x, None, weights, heads, {"self": mask}, knobs).run()


def decoder_layer(
    x: Array,
    memory: Array,
    weights: Roles,
    heads: int,
    src_mask: Array | None,
    tgt_mask: Array | None,
    knobs: Knobs = NONE,
) -> Array:
    """Self-attention, attention to the memory, feed-forward, each with residual and norm."""
    forced, causal = knobs.get("dec.forced_causal"), np.tri(x.shape[1], dtype=bool)
    if forced == "instead" or (forced in {"always", "when_none"} and tgt_mask is None):
        tgt_mask = causal
    elif forced == "always" and tgt_mask is not None:
        tgt_mask = tgt_mask & causal
    given = {"tgt": tgt_mask, "src": src_mask, "none": None}
    given |= {"src_alone": src_mask if tgt_mask is None else None, "tgt_alone": tgt_mask if src_mask is None else None}
    masks = {"self": given[knobs.get("dec.mask.self", "tgt")], "cross": given[knobs.get("dec.mask.cross", "src")]}
    return _Layer("dec", x, memory, weights, heads, masks, knobs).run()


@dataclass(frozen=True, slots=True)
class _Layer:
    """What all sublayers of one layer see."""

    kind: str
    block_input: Array
    memory: Array | None
    weights: Roles
    heads: int
    masks: Mapping[str, Any]
    knobs: Knobs

    def run(self) -> Array:
        """Run the stages in order."""
        state = raw = entered = self.block_input
        order = self.knobs.get(f"{self.kind}.order", SUBLAYERS[self.kind])
        for number, name in enumerate(order, start=1):

            def sublayer(y: Array, name: str = name, raw: Array = raw, plain: Array = state) -> Array:
                return self.sublayer(name, y, raw, plain)

            for _ in range(2 if self.knobs.get(f"{self.kind}.run.{number}") == "twice" else 1):
                before = {"block": self.block_input, "sublayer before": raw, "read before": entered}
                state, raw, entered = stage(self.kind, number, state, before, sublayer, self.weights, self.knobs)
        return state + self.block_input if self.knobs.get(f"{self.kind}.final_residual") else state

    def sublayer(self, name: str, y: Array, raw: Array, plain: Array) -> Array:
        """Run one sublayer on the state, ``plain`` before its norm; ``raw`` is what the sublayer before returned."""
        if name == "nothing":  # no weights are read in its place, and the norm behind it is there
            return np.zeros_like(y)
        part, knobs = self.weights.part(name), self.knobs
        if name == "feed_forward":
            return feed_forward(y, part, knobs)
        if name == "self_attention":
            mask = None if knobs.get(f"{self.kind}.mask_dropped") else self.masks["self"]
            source = self.memory if knobs.get("dec.self_reads_memory") and self.memory is not None else y
            normed = knobs.get(f"{self.kind}.normed", "query, key, value")
            query, key, value = (
                one if name in normed else plain for name, one in zip(_READ, (y, source, source), strict=True)
            )
            if knobs.get("dec.forced_causal") == "inside":
                knobs = {**knobs, "sdpa.triangle": "always"}
            return multi_head(query, key, value, part, self.heads, mask, knobs)
        assert self.memory is not None  # noqa: S101 - only a decoder has cross-attention
        choices = {"memory": self.memory, "input": self.block_input, "state": y, "attention": raw}
        choices["state where alike"] = y if y.shape == self.memory.shape else self.memory
        query = choices[knobs.get("dec.query", "state")]
        key, value = choices[knobs.get("dec.key", "memory")], choices[knobs.get("dec.value", "memory")]
        if "dec.memory_norm" in knobs:  # with the gain and the shift of this stage or the one before, once or for each
            which, _, each = knobs["dec.memory_norm"].partition(", ")
            key = layer_norm(key, self.weights.part(which), knobs)
            value = layer_norm(value, self.weights.part(which), knobs) if each else key
        found = multi_head(query, key, value, part, self.heads, self.masks["cross"], knobs)
        return found[:, : y.shape[1]] if knobs.get("dec.result_cut") else found


def stage(
    kind: str,
    number: int,
    state: Array,
    before: Mapping[str, Array],
    sublayer: Callable[[Array], Array],
    weights: Roles,
    knobs: Knobs,
) -> tuple[Array, Array, Array]:
    """Return the state after the stage, what the sublayer gave, and what it read; ``before`` is what else is there."""
    norm_of = str(knobs.get(f"{kind}.norm_of", "123"))[number - 1]
    place = knobs.get(f"{kind}.norm.{number}", knobs.get("stack.norm", "post"))

    def norm(y: Array) -> Array:
        return layer_norm(y, weights.part(f"norm_{norm_of}"), knobs)

    read = before.get(knobs.get(f"{kind}.input.{number}", ""), state)
    entered = norm(read) if place in {"pre", "pre_residual", "around", "around, for each"} else read
    if place == "around, for each" and number < len(SUBLAYERS[kind]):  # queries, keys and values, one by one
        norm(read), norm(read)
    raw = sublayer(entered)
    raw = sublayer(raw) if knobs.get(f"{kind}.run.{number}") == "on itself" else raw
    update = norm(raw) if place == "sublayer" else raw
    residual = {
        "own": state,
        "none": np.zeros_like(state),
        **before,
        "twice": 2 * state,
        "own and block": state + before["block"],
        "normed": state,
        "sublayer": raw,
        "minus": -state,
    }[knobs.get(f"{kind}.residual.{number}", "own")]
    if place == "pre_residual":
        residual = entered
    summed = residual + update if knobs.get(f"{kind}.result.{number}") != "subtracted" else residual - update
    if knobs.get(f"{kind}.result.{number}") == "discarded":  # computed, and the old state goes on
        norm(summed)
        return state, raw, entered
    if knobs.get(f"{kind}.result.{number}") == "without_sublayer":
        summed = residual
    if place in {"post", "around", "around, for each"}:
        return norm(summed), raw, entered
    if place == "twice":
        return norm(norm(summed)), raw, entered
    if place == "residual":
        return norm(residual) + raw, raw, entered
    return summed, raw, entered
