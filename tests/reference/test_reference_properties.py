"""Properties that hold at every size."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import reference as ref

sizes = st.integers(1, 7)
seeds = st.integers(0, 2**32 - 1)
often = settings(derandomize=True, deadline=None, max_examples=50)


def normal(seed: int, *shape: int) -> Any:
    return np.random.default_rng([seed, *shape]).normal(size=shape)


@often
@given(seed=seeds, shape=st.lists(sizes, min_size=1, max_size=4), shift=st.floats(-1e4, 1e4))
def test_softmax_sums_to_one_along_any_axis_and_ignores_a_shift(seed: int, shape: list[int], shift: float) -> None:
    x = normal(seed, *shape) * 10
    for axis in range(-len(shape), len(shape)):
        weights = ref.softmax(x, axis)
        assert weights.shape == x.shape
        assert (weights >= 0).all()
        np.testing.assert_allclose(weights.sum(axis=axis), 1.0, rtol=1e-12)
        np.testing.assert_allclose(ref.softmax(x + shift, axis), weights, atol=1e-10)
        np.testing.assert_allclose(np.exp(ref.log_softmax(x, axis)), weights, rtol=1e-12)


@often
@given(seed=seeds, n=sizes, m=sizes, d_k=sizes, d_v=sizes, lead=st.lists(sizes, max_size=2))
def test_attention_shapes_and_key_order(seed: int, n: int, m: int, d_k: int, d_v: int, lead: list[int]) -> None:
    Q, K, V = normal(seed, *lead, n, d_k), normal(seed + 1, *lead, m, d_k), normal(seed + 2, *lead, m, d_v)
    mask = normal(seed + 3, *lead, n, m) > 0
    output, weights = ref.scaled_dot_product_attention(Q, K, V, mask)
    assert output.shape == (*lead, n, d_v)
    assert weights.shape == (*lead, n, m)
    np.testing.assert_allclose(weights.sum(axis=-1), mask.any(axis=-1), atol=1e-12)
    assert (weights[~mask] == 0).all()
    order = np.random.default_rng(seed).permutation(m)
    again, _ = ref.scaled_dot_product_attention(Q, K[..., order, :], V[..., order, :], mask[..., order])
    np.testing.assert_allclose(again, output, atol=1e-12)


@often
@given(seed=seeds, batch=sizes, n=sizes, m=sizes, heads=st.integers(1, 3), width=st.integers(1, 4))
def test_multi_head_attention_is_its_heads_one_by_one(
    seed: int, batch: int, n: int, m: int, heads: int, width: int
) -> None:
    d_model = heads * width
    query, memory = normal(seed, batch, n, d_model), normal(seed + 1, batch, m, d_model)
    weights = {f"w_{role}": normal(seed + i, d_model, d_model) for i, role in enumerate("qkvo", 2)}
    mask = normal(seed + 9, batch, n, m) > -0.5
    columns = [slice(i * width, (i + 1) * width) for i in range(heads)]
    parts = [
        ref.scaled_dot_product_attention(
            query @ weights["w_q"][:, c], memory @ weights["w_k"][:, c], memory @ weights["w_v"][:, c], mask
        )[0]
        for c in columns
    ]
    expected = np.concatenate(parts, axis=-1) @ weights["w_o"]
    result = ref.multi_head_attention(query, memory, memory, weights, heads, mask)
    np.testing.assert_allclose(result, expected, atol=1e-11)
    with_heads = ref.multi_head_attention(query, memory, memory, weights, heads, mask[:, np.newaxis])
    np.testing.assert_array_equal(with_heads, result)
    one_sample = ref.multi_head_attention(query[0], memory[0], memory[0], weights, heads, mask[0])
    np.testing.assert_allclose(one_sample, result[0], atol=1e-11)


@often
@given(max_len=st.integers(0, 40), d_model=st.integers(1, 12), k=st.integers(0, 10))
def test_moving_by_k_positions_rotates_each_pair_of_columns(max_len: int, d_model: int, k: int) -> None:
    table = ref.positional_encoding(max_len + k, d_model)
    assert table.shape == (max_len + k, d_model)
    pairs = d_model // 2
    hands = table[:, 1 : 2 * pairs : 2] + 1j * table[:, 0 : 2 * pairs : 2]
    turn = np.exp(1j * k / 10000.0 ** (2 * np.arange(pairs) / d_model))
    np.testing.assert_allclose(hands[k:], hands[:max_len] * turn, atol=1e-12)


@often
@given(seed=seeds, n=sizes, d_model=st.integers(2, 9), scale=st.floats(0.1, 50), move=st.floats(-9, 9))
def test_layer_norm_ignores_shift_and_scale_of_its_input(
    seed: int, n: int, d_model: int, scale: float, move: float
) -> None:
    x = normal(seed, n, d_model) + np.arange(d_model)
    plain = ref.layer_norm(x, np.ones(d_model), np.zeros(d_model), eps=0.0)
    np.testing.assert_allclose(plain.mean(axis=-1), 0.0, atol=1e-9)
    np.testing.assert_allclose(plain.std(axis=-1), 1.0, rtol=1e-9)
    again = ref.layer_norm(x * scale + move, np.ones(d_model), np.zeros(d_model), eps=0.0)
    np.testing.assert_allclose(again, plain, rtol=1e-6, atol=1e-6)


@often
@given(ids=st.lists(st.lists(st.integers(0, 3), min_size=4, max_size=4), min_size=1, max_size=3))
def test_masks_of_ids_block_padding_keys_and_the_future_only(ids: list[list[int]]) -> None:
    src, tgt = ref.make_src_mask(ids, 0), ref.make_tgt_mask(ids, 0)
    assert src.shape == (len(ids), 1, 1, 4)
    assert tgt.shape == (len(ids), 1, 4, 4)
    for b, row in enumerate(ids):
        for query in range(4):
            for key in range(4):
                assert src[b, 0, 0, key] == (row[key] != 0)
                assert tgt[b, 0, query, key] == (row[key] != 0 and key <= query)


@often
@given(lengths=st.lists(st.integers(0, 6), max_size=5))
def test_padding_mask_has_as_many_true_positions_as_each_length_says(lengths: list[int]) -> None:
    mask = ref.padding_mask(lengths, 6)
    assert mask.sum(axis=1).tolist() == lengths
    assert (np.diff(mask.astype(int), axis=1) <= 0).all()


@often
@given(seed=seeds, p=st.floats(0, 0.95), shape=st.lists(sizes, max_size=3))
def test_dropout_repeats_under_one_seed_and_keeps_or_drops_each_entry(seed: int, p: float, shape: list[int]) -> None:
    x = normal(seed, *shape) + 10
    dropped = ref.dropout(x, p, rng=np.random.default_rng(seed))
    np.testing.assert_array_equal(dropped, ref.dropout(x, p, rng=np.random.default_rng(seed)))
    assert ((dropped == 0) | np.isclose(dropped, x / (1 - p))).all()


@often
@given(step=st.integers(1, 10**5), d_model=st.integers(1, 2048), warmup=st.integers(1, 10**4))
def test_noam_rate_never_exceeds_its_peak(step: int, d_model: int, warmup: int) -> None:
    peak = (d_model * warmup) ** -0.5
    rate = ref.noam_lr(step, d_model, warmup)
    assert 0 < rate <= peak * (1 + 1e-12)
    assert ref.noam_lr(warmup, d_model, warmup) >= rate * (1 - 1e-12)


@often
@given(seed=seeds, step=st.integers(1, 500), shape=st.lists(sizes, max_size=2))
def test_adam_step_treats_arrays_lists_and_dicts_alike(seed: int, step: int, shape: list[int]) -> None:
    p, g, m, v = (normal(seed + i, *shape) for i in range(4))
    arrays = ref.adam_step(p, g, m, v * v, step, 0.01)
    nested = ref.adam_step(
        {"a": [p, p], "b": (p,)},
        {"a": [g, g], "b": (g,)},
        {"a": [m, m], "b": (m,)},
        {"a": [v * v, v * v], "b": (v * v,)},
        step,
        0.01,
    )
    for plain, tree in zip(arrays, nested, strict=True):
        assert isinstance(tree["a"], list)
        assert isinstance(tree["b"], tuple)
        for leaf in (*tree["a"], *tree["b"]):
            np.testing.assert_array_equal(leaf, plain)
