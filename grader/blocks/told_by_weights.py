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
    """Whether whole layers are run, and not as many as were asked for."""
    of_each = {"encoder": 1, "decoder": 2}.get(subject.block.name)
    if of_each is None:
        return ""
    kinds = [operation.kind for operation in subject.material.operations]
    layers = kinds.count("F")
    whole = kinds.count("A") == of_each * layers and kinds.count("N") in {
        (of_each + 1) * layers + more for more in (0, 1)
    }
    return "stack-of-another-depth" if whole and layers not in {0, subject.sizes.num_layers} else ""
