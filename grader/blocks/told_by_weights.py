"""Mistakes that the weights in use tell of a module, where no computation of the paper gives its answers."""

from __future__ import annotations

import numpy as np

from grader.blocks.checks_state import moved_weights
from grader.blocks.faults import Fault, family
from grader.blocks.reading import Tensor
from grader.blocks.subject import Subject
from grader.model import Diagnosis

_mha = family("multi_head_attention", "section 3.2.2")
_ffn = family("feed_forward", "section 3.3, equation 2")
_enc = family("encoder", "section 3.1 and figure 1")
_trf = family("transformer", "section 3.4 and figure 1")
_MATRICES = (
    "Which matrices does equation 2 have, and which shapes?",
    "Look at the shapes of your parameters: which of them are (d_model, d_ff) and (d_ff, d_model)?",
)

OF_WEIGHTS: tuple[Fault, ...] = (
    _mha(
        "mha-projection-of-one-head",
        "A projection is as wide as one head, and all heads share it.",
        "How many columns has W^Q of one head, and how many heads are there?",
        "Look at the shapes of your matrices: which of them is (d_model, d_k)?",
        "Each head has W^Q, W^K and W^V of its own, (d_model, d_k): together they are (d_model, d_model). Sharing one "
        "among the heads is a later idea that saves memory.",
    ),
    _ffn(
        "ffn-inner-width-ignored",
        "No matrix is as wide as d_ff.",
        *_MATRICES,
        "The first map goes from d_model to d_ff, the second one back. The network between them is wider than the "
        "vectors that it works on.",
    ),
    _ffn(
        "ffn-gated",
        "There are three matrices instead of two.",
        *_MATRICES,
        "A third matrix makes a gate, as in GLU and SwiGLU, which later models use. Equation 2 has two.",
    ),
    _ffn(
        "ffn-one-matrix-for-both",
        "One matrix serves for both maps.",
        *_MATRICES,
        "The two maps have weights of their own: W_2 is not the transpose of W_1.",
    ),
    _enc(
        "stack-of-another-depth",
        "The stack runs another number of layers than num_layers.",
        "Build your stack with num_layers=2. How many layers does it run?",
        "Look for a number such as 6 where num_layers should stand.",
        "The paper has 6 layers; here the number is an argument.",
    ),
    _trf(
        "trf-returns-token-ids",
        "Token ids are returned instead of logits.",
        "Which type do your results have, and which shape?",
        "Look for an argmax in the last lines of forward.",
        "The loss needs the logits of all words, (batch, n_tgt, tgt_vocab). Choosing a word is a matter of decoding.",
    ),
)


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
    if found and not any(wide in tensor.shape for tensor in found):
        return "ffn-inner-width-ignored"
    if {tuple(sorted(tensor.shape)) for tensor in found} != {tuple(sorted((d, wide)))}:
        return ""
    return {1: "ffn-one-matrix-for-both", 3: "ffn-gated"}.get(len(found), "")


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
