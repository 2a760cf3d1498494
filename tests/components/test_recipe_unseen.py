"""Slips in training and decoding of kinds that had not been listed are named; right neighbours lose nothing."""

from __future__ import annotations

import inprocess
import pytest
from test_recipe_components import judged

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

ADAM = """
import numpy as np
def adam_step(params, grads, m, v, step, lr, beta1=0.9, beta2=0.98, eps=1e-9):
    m = beta1 * m + (1 - beta1) * grads
    v = beta2 * v + (1 - beta2) * {square}
    root = np.sqrt(np.abs(v / (1 - beta2 ** step))) + eps
    return params - lr * m / (1 - beta1 ** step) / root, m, v
"""
SETTLED = """
import numpy as np
def adam_step(params, grads, m, v, step, lr, beta1=0.9, beta2=0.98, eps=1e-9):
    {fixed}
    m = beta1 * m + (1 - beta1) * grads
    v = beta2 * v + (1 - beta2) * grads ** 2
    root = np.sqrt(v / (1 - beta2 ** step)) + eps
    return params - lr * m / (1 - beta1 ** step) / root, m, v
"""
NOAM = """
def noam_lr(step, d_model, warmup):
    s = {step}
    return d_model ** -0.5 * min(s ** -0.5, s * warmup ** -1.5)
"""
BEAM = """
import numpy as np
def beam_search(step_fn, bos, eos, max_len, beam_size):
    beam, done = [(0.0, [bos])], []
    for _ in range(max_len - 1):
        grown = [(score + float(p), [*seq, t]) for score, seq in beam if seq[-1] != eos
                 for t, p in enumerate(np.asarray(step_fn(list(seq))))]
        ended = [one for one in beam if one[1][-1] == eos]
        {rest}
    return max(beam + done, key=lambda one: one[0])[1]
"""
LEFT = """done += [one for one in grown if one[1][-1] == eos]
        beam = sorted((one for one in grown if one[1][-1] != eos), key=lambda one: -one[0])[:beam_size]"""
KEPT = "beam = sorted(grown + ended, key=lambda one: -one[0])[:beam_size]"


@pytest.mark.parametrize(
    ("name", "wrong", "right", "id"),
    [
        ("adam", ADAM.format(square="grads"), ADAM.format(square="grads * grads"), "adam-gradient-not-squared"),
        *(
            ("adam", ADAM.format(square=square), ADAM.format(square="grads**2"), "adam-squares-of-the-difference")
            for square in ("(grads - m) ** 2",)
        ),
        *(
            ("adam", SETTLED.format(fixed=fixed), SETTLED.format(fixed="pass"), "adam-settings-ignored")
            for fixed in (
                "beta1, beta2 = 0.9, 0.999",
                "beta2 = 0.98",
                "beta1, beta2, eps = 0.9, 0.999, 1e-8",
                "eps = 1e-8",
            )
        ),
        ("noam_lr", NOAM.format(step="max(step - 1, 1)"), NOAM.format(step="max(step, 1)"), "argument-changed-first"),
        ("noam_lr", NOAM.format(step="step + 1"), NOAM.format(step="step + 0"), "noam-step-one-ahead"),
        ("beam_search", BEAM.format(rest=LEFT), BEAM.format(rest=KEPT), "beam-finished-leave-the-beam"),
    ],
)
def test_a_slip_is_named_and_its_neighbour_is_right(name: str, wrong: str, right: str, id: str) -> None:
    assert inprocess.names(judged(name, wrong)) == (id,)
    assert inprocess.failed(judged(name, right)) == []


LOSS = """
import torch
import torch.nn.functional as F

def label_smoothing_loss(logits, target, eps, pad_id):
    pad = {pad}
    {filled}
    q = F.one_hot(words, logits.shape[-1]).to(logits) * (1 - eps) + eps / logits.shape[-1]
    return -(q * logits.log_softmax(-1)).sum(-1)[~pad].mean()
"""
EQUAL, COPIED = "target == pad_id", "words = target.masked_fill(pad, 0)"


@pytest.mark.torch
@pytest.mark.parametrize(
    ("pad", "filled", "name"),
    [
        (EQUAL, COPIED, ""),
        (EQUAL, "target[pad] = 0 if pad_id else 1; words = target", "argument-changed-in-place"),
        ("target <= pad_id", COPIED, "ls-padding-not-found-by-equality"),
    ],
)
def test_a_loss_is_caught_and_named(pad: str, filled: str, name: str) -> None:
    outcomes = judged("label_smoothing", LOSS.format(pad=pad, filled=filled))
    assert inprocess.names(outcomes) == ((name,) if name else ())
    assert bool(inprocess.failed(outcomes)) == bool(name)


@pytest.mark.parametrize("output", ["tgt_vocab", "d_model * tgt_vocab + tgt_vocab - d_model * tgt_vocab"])
def test_a_table_that_is_left_out_is_not_said_to_be_the_embedding(output: str) -> None:
    """Tied to the embedding or without an embedding, the number is one: no title may say which."""
    code = f"""
def count_parameters(d_model, num_heads, num_layers, d_ff, src_vocab, tgt_vocab):
    attention, norm = 4 * d_model * (d_model + 1), 2 * d_model
    network = 2 * d_model * d_ff + d_ff + d_model
    layers = num_layers * (3 * attention + 2 * network + 5 * norm)
    return layers + d_model * (src_vocab + tgt_vocab) + {output}
def attention_flops(n, m, d_k, d_v):
    return n * m * (d_k + d_v)
"""
    titles = {outcome.diagnosis.title for outcome in judged("complexity", code) if outcome.diagnosis}
    assert titles == {
        "One table of tgt_vocab rows is left out: the target's embedding, or the weight of the output layer."
    }
