"""A constant in single precision among doubles blurs answers: slips keep their names, right answers their points."""

from __future__ import annotations

import inprocess
import numpy_setups as setups
import pytest

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
ATTENTION = """
import numpy as np
NEG = np.float32(-1e9)


def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ K.swapaxes(-2, -1) / np.float32(np.sqrt(Q.shape[-1]))
    if mask is not None:
        scores = np.where(mask, scores, NEG)
    scores = scores - scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores)
    weights = weights / weights.sum(axis=-1, keepdims=True)
    return weights @ V, weights
"""
SLIPS = {
    "sdpa-scale-by-dv": ("sqrt(Q.shape[-1])", "sqrt(V.shape[-1])"),
    "sdpa-fill-tiny-positive": ("-1e9", "1e-9"),
    "sdpa-fill-not-low-enough": ("-1e9", "-50"),
    "sdpa-mask-polarity-inverted": ("(mask, scores, NEG)", "(mask, NEG, scores)"),
    "sdpa-softmax-over-query-axis": ("axis=-1", "axis=-2"),
    "sdpa-scale-inverted": ("/ np.float32", "* np.float32"),
    "sdpa-keys-used-as-values": ("weights @ V", "weights @ K"),
    "sdpa-softmax-no-max-shift": ("    scores = scores - scores.max(axis=-1, keepdims=True)\n", ""),
}


def judged(code: str) -> tuple[list[str], list[str]]:
    name = "scaled_dot_product_attention"
    outcomes = inprocess.judged(setups.component(name), setups.interface(name), code, seed=5)
    return inprocess.failed(outcomes), list(inprocess.names(outcomes))


def test_a_right_answer_blurred_by_a_constant_loses_nothing() -> None:
    assert judged(ATTENTION) == ([], [])


@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_blurred_by_a_constant_keeps_its_name(slip: str) -> None:
    old, new = SLIPS[slip]
    assert old in ATTENTION
    failed, names = judged(ATTENTION.replace(old, new))
    assert failed
    assert names[:1] == [slip]


POSITIONS = """
import numpy as np


def positional_encoding(max_len, d_model):
    columns = np.arange(d_model)
    angles = np.arange(max_len)[:, None] / 1e4 ** (columns // d_model)
    return np.where(columns % 2 == 0, np.sin(angles), np.cos(angles)).astype(np.float32)
"""


def test_a_base_that_stands_there_is_not_called_another_where_the_exponents_are_0() -> None:
    name = "positional_encoding"
    outcomes = inprocess.judged(setups.component(name), setups.interface(name), POSITIONS)
    assert inprocess.names(outcomes) == ("pe-integer-division",)
