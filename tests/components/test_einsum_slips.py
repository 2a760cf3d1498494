"""A slip in the letters of an einsum is named once, with its letters, and a right einsum loses nothing."""

from __future__ import annotations

import inprocess
import numpy_setups as setups
import pytest

from grader.components.attention_einsum import meets_columns, mistaken

NAME = "scaled_dot_product_attention"
CODE = """
import numpy as np
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = {scores} / np.sqrt(Q.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, {fill})
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = powers / powers.sum(axis=-1, keepdims=True)
    return {output}, weights
"""
RIGHT = {"scores": "Q @ np.swapaxes(K, -1, -2)", "output": "weights @ V", "fill": "-1e9"}


def said(**parts: str) -> str:
    outcomes = inprocess.judged(setups.component(NAME), setups.interface(NAME), CODE.format(**(RIGHT | parts)))
    found = inprocess.diagnosis(outcomes)
    named = {outcome.diagnosis.id if outcome.diagnosis else "" for outcome in outcomes if outcome.verdict != "passed"}
    assert len(named) < 2, named
    return f"{found.id}: {found.title}" if found else ""


SCORES = (
    "ij,kj->ij",
    "ij,kj->jk",
    "ij,kj->kj",
    "ij,kl->ik",
    "ij,kj->i",
    "ij,kj->j",
    "ij,ik->jk",
    "ij,ik->ik",
    "ij,kl->kl",
)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("letters", SCORES)
@pytest.mark.parametrize("fill", ["-1e9", "-np.inf"])
@pytest.mark.parametrize("front", ["", "...", "b"])
def test_wrong_letters_of_the_scores_are_named(letters: str, fill: str, front: str) -> None:
    parts = letters.replace("->", ",").split(",")
    one, other, out = (front + part for part in parts)
    written = f"{one},{other}->{out}"
    told = said(scores=f"np.einsum('{written}', Q, K)", fill=fill)
    assert told.startswith(f"sdpa-einsum-scores: The scores are the einsum {written}, and that is not QKᵀ")


OUTPUT = ("ij,jk->ij", "ij,jk->jk", "ij,kl->il", "ij,jk->i", "ij,jk->k", "ij,kj->ik", "ij,ik->ik", "ij,kl->ik")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("letters", OUTPUT)
@pytest.mark.parametrize("front", ["", "..."])
def test_wrong_letters_of_the_output_are_named(letters: str, front: str) -> None:
    parts = letters.replace("->", ",").split(",")
    one, other, out = (front + part for part in parts)
    written = f"{one},{other}->{out}"
    told = said(output=f"np.einsum('{written}', weights, V)")
    assert told.startswith(f"sdpa-einsum-output: The output is made from the values by einsum {written}, and that")


def test_spaces_and_the_order_of_the_arrays_do_not_hide_it() -> None:
    assert said(scores="np.einsum('... k d , ... q d -> ... q d', K, Q)").startswith("sdpa-einsum-scores")
    assert said(output="np.einsum('...jk,...ij->...ij', V, weights)").startswith("sdpa-einsum-output")


@pytest.mark.parametrize(
    ("parts", "known"),
    [
        ({"scores": "np.einsum('...ij,...jk->...ik', Q, K)"}, "sdpa-keys-not-transposed"),
        ({"scores": "np.einsum('ij,jk->ik', Q, K)"}, "sdpa-keys-not-transposed"),
        ({"output": "np.einsum('...ji,...jk->...ik', weights, V)"}, "sdpa-einsum-output"),
        ({"scores": "np.einsum('...ij,...ij->...ij', Q, K)"}, "sdpa-elementwise-instead-of-matmul"),
        ({"scores": "np.einsum('...ij,...kj->...ki', Q, K)"}, "sdpa-scores-transposed"),
    ],
)
def test_slips_that_have_a_name_keep_it(parts: dict[str, str], known: str) -> None:
    assert said(**parts).startswith(known)


@pytest.mark.parametrize(
    "parts",
    [
        {"scores": "np.einsum('...ij,...kj->...ik', Q, K)", "output": "np.einsum('...ij,...jk->...ik', weights, V)"},
        {"scores": "np.einsum('...kd,...qd->...qk', K, Q)", "output": "np.einsum('...kd,...qk->...qd', V, weights)"},
    ],
)
def test_right_letters_lose_nothing(parts: dict[str, str]) -> None:
    assert said(**parts) == ""


@pytest.mark.parametrize("letters", ["ij,jk->ik", "...qd,...kd->...qk", "bhqd,bhkd->bhqk", "bhqk,bhkd->bqhd", "ij,jk"])
def test_matrix_products_are_not_suspected(letters: str) -> None:
    assert not mistaken(letters)


def test_vt_is_suspected_in_the_output_alone() -> None:
    assert meets_columns("ij,kj->ik")
    assert not meets_columns("ij,jk->ik")


HEADS = """
import numpy as np
def multi_head_attention(query, key, value, W_q, W_k, W_v, W_o, num_heads, mask=None):
    d = query.shape[-1]
    if d % num_heads:
        raise ValueError("d_model")
    def split(x):
        return np.swapaxes(x.reshape(*x.shape[:-1], num_heads, d // num_heads), -2, -3)
    q, k, v = split(query @ W_q), split(key @ W_k), split(value @ W_v)
    scores = np.einsum("{scores}", q, k) / np.sqrt(d // num_heads)
    if mask is not None:
        scores = np.where(mask[:, None] if mask.ndim == 3 else mask, scores, -1e9)
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    heads = np.einsum("{output}", powers / powers.sum(axis=-1, keepdims=True), v)
    heads = np.swapaxes(heads, -2, -3)
    return heads.reshape(*heads.shape[:-2], d) @ W_o
"""
LETTERS = {"scores": "...qd,...kd->...qk", "output": "...qk,...kd->...qd"}


@pytest.mark.parametrize(
    ("parts", "known"),
    [
        ({}, ""),
        ({"scores": "...qd,...kd->...qd"}, "mha-einsum-scores"),
        ({"scores": "...qd,...kd->...kd"}, "mha-einsum-scores"),
        ({"scores": "...qd,...kd->...q"}, "mha-einsum-scores"),
        ({"scores": "...qd,...ke->...qk"}, "mha-einsum-scores"),
        ({"scores": "...qd,...dk->...qk"}, "mha-einsum-scores"),
        ({"output": "...qk,...kd->...kd"}, "mha-einsum-output"),
        ({"output": "...qk,...jd->...qd"}, "mha-einsum-output"),
    ],
)
def test_wrong_letters_in_the_heads_are_named(parts: dict[str, str], known: str) -> None:
    name = "multi_head_attention"
    code = HEADS.format(**(LETTERS | parts))
    outcomes = inprocess.judged(setups.component(name), setups.interface(name), code)
    found = inprocess.diagnosis(outcomes)
    assert (found.id if found else "") == known
    assert bool(inprocess.failed(outcomes)) is bool(known)
