"""Mistakes that the weights in use tell of a module, where no computation of the paper gives its answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from grader.blocks.checks_state import moved_weights
from grader.blocks.reading import Tensor
from grader.model.outcome import Diagnosis

if TYPE_CHECKING:
    from grader.blocks.subject import Subject


def sign_of(subject: Subject) -> Diagnosis | None:
    """What the weights tell; None where they tell nothing."""
    if moved_weights(subject):
        return subject.block.sign("weights-changed-by-the-call")
    told = {"multi_head_attention": _of_heads, "feed_forward": _of_network}.get(subject.block.name, _of_stack)(subject)
    return subject.block.sign(told) if told else None


def sign_of_form(subject: Subject, array: object, shape: tuple[int, ...]) -> Diagnosis | None:
    """What the form of an answer tells that has not the shape that is asked for."""
    whole = isinstance(array, np.ndarray) and array.dtype.kind in "iu" and array.shape == shape[:-1]
    return subject.block.sign("trf-returns-token-ids") if whole else None


def _matrices(subject: Subject) -> list[Tensor]:
    return [tensor for name in subject.used() if len((tensor := subject.tensors[name]).shape) > 1]


def _of_heads(subject: Subject) -> str:
    d, d_k = subject.sizes.d_model, subject.sizes.d_k
    found = _matrices(subject)
    # From d_model to d_k, as nn.Linear keeps it; the other way round it may be an output projection of summed heads.
    narrow = [tensor for tensor in found if tensor.shape == (d_k, d) and tensor.owner_class == "Linear"]
    missing = 4 * d * d - sum(tensor.size for tensor in found)
    shared = 0 < len(narrow) < subject.sizes.num_heads and missing == len(narrow) * d * (d - d_k)
    return "mha-projection-of-one-head" if shared else ""


def _of_network(subject: Subject) -> str:
    d, wide = subject.sizes.d_model, subject.sizes.d_ff
    found = _matrices(subject)
    if subject.block.right.get("ffn.gated"):
        return ""
    if found and not any({wide, 2 * wide} & {*tensor.shape} for tensor in found):
        return "ffn-inner-width-ignored"
    maps, rest = divmod(sum(tensor.size for tensor in found), d * wide)
    if rest or {tensor.size for tensor in found} - {d * wide, 2 * d * wide}:  # a gate may stand with what it gates
        return ""
    return {1: "ffn-one-matrix-for-both", 3: "ffn-gated"}.get(maps, "")


def _of_stack(subject: Subject) -> str:
    """Whether whole layers are run, and not as many as were asked for.

    A layer of an encoder has one attention and two norms, one of a decoder two and three; each has one network.
    """
    asked = subject.sizes.num_layers
    depths = {"encoder": (asked, 0), "language_model": (asked, 0), "decoder": (0, asked), "transformer": (asked, asked)}
    expected = depths.get(subject.block.name)
    if expected is None:
        return ""
    kinds = [operation.kind for operation in subject.material.operations]
    attentions, networks = kinds.count("A"), kinds.count("F")
    found = encoder, decoder = 2 * networks - attentions, attentions - networks
    left = kinds.count("N") - 2 * encoder - 3 * decoder  # a final norm of each stack is free
    whole = all(bool(one) == bool(other) for one, other in zip(found, expected, strict=True)) and 0 <= left <= 2  # noqa: PLR2004
    return "stack-of-another-depth" if whole and found != expected else ""
