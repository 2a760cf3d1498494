"""Values that can be worked out on paper."""

from __future__ import annotations

import math

import numpy as np
import pytest

import reference as ref


def test_softmax_of_logarithms_gives_their_proportions() -> None:
    np.testing.assert_allclose(ref.softmax(np.log([1.0, 2.0, 5.0])), [0.125, 0.25, 0.625], rtol=1e-15)


def test_softmax_works_along_the_axis_that_is_asked_for() -> None:
    x = np.log([[1.0, 1.0], [3.0, 1.0]])
    np.testing.assert_allclose(ref.softmax(x, axis=0), [[0.25, 0.5], [0.75, 0.5]], rtol=1e-15)


def test_softmax_is_finite_at_the_ends_of_the_floating_range() -> None:
    huge = np.finfo(np.float64).max
    np.testing.assert_array_equal(ref.softmax(np.array([huge, -huge])), [1.0, 0.0])
    np.testing.assert_array_equal(ref.softmax(np.array([huge, huge])), [0.5, 0.5])


def test_log_softmax_keeps_what_the_logarithm_of_softmax_would_lose() -> None:
    np.testing.assert_array_equal(ref.log_softmax(np.array([0.0, -2000.0])), [0.0, -2000.0])


def test_attention_divides_the_scores_by_the_root_of_d_k() -> None:
    # q·k = 4 log 3 and 0; divided by sqrt(4) the scores are 2 log 3 and 0, so the weights are 9 : 1.
    Q = np.full((1, 4), math.log(3))
    K = np.array([[1.0] * 4, [0.0] * 4])
    output, weights = ref.scaled_dot_product_attention(Q, K, np.array([[10.0], [0.0]]))
    np.testing.assert_allclose(weights, [[0.9, 0.1]], rtol=1e-14)
    np.testing.assert_allclose(output, [[9.0]], rtol=1e-14)


def test_attention_gives_a_blocked_key_exactly_nothing() -> None:
    zeros = np.zeros((2, 3))
    mask = np.array([[True, False], [True, True]])
    _, weights = ref.scaled_dot_product_attention(zeros, zeros, zeros, mask)
    np.testing.assert_array_equal(weights, [[1.0, 0.0], [0.5, 0.5]])


def test_attention_row_with_nothing_allowed_is_zero() -> None:
    ones = np.ones((2, 3))
    mask = np.array([[False, False], [True, True]])
    output, weights = ref.scaled_dot_product_attention(ones, ones, ones, mask)
    np.testing.assert_array_equal(weights, [[0.0, 0.0], [0.5, 0.5]])
    np.testing.assert_array_equal(output, [[0.0] * 3, [1.0] * 3])


def test_causal_mask_lets_a_position_see_itself_and_the_past() -> None:
    expected = [[True, False, False], [True, True, False], [True, True, True]]
    assert ref.causal_mask(3).tolist() == expected
    assert ref.causal_mask(0).shape == (0, 0)


def test_padding_mask_marks_real_positions() -> None:
    assert ref.padding_mask([2, 0], 3).tolist() == [[True, True, False], [False, False, False]]
    assert ref.padding_mask([], 3).shape == (0, 3)


def test_attention_masks_of_ids() -> None:
    ids = np.array([[5, 0, 7]])
    assert ref.make_src_mask(ids, 0).tolist() == [[[[True, False, True]]]]
    expected = [[True, False, False], [True, False, False], [True, False, True]]
    assert ref.make_tgt_mask(ids, 0).tolist() == [[expected]]


def test_positional_encoding_of_the_first_positions_at_width_four() -> None:
    # Frequencies 1 and 1/100: sin 1, cos 1, sin .01, cos .01 and so on.
    expected = [
        [0.0, 1.0, 0.0, 1.0],
        [0.841470985, 0.540302306, 0.009999833, 0.999950000],
        [0.909297427, -0.416146837, 0.019998667, 0.999800007],
    ]
    np.testing.assert_allclose(ref.positional_encoding(3, 4), expected, atol=5e-10)


def test_positional_encoding_of_odd_width_has_one_sine_more() -> None:
    row = ref.positional_encoding(2, 3)[1]
    np.testing.assert_allclose(row, [math.sin(1), math.cos(1), math.sin(10000 ** (-2 / 3))], rtol=1e-15)


def test_token_embedding_multiplies_by_the_root_of_d_model() -> None:
    table = np.array([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]])
    np.testing.assert_array_equal(ref.token_embedding([[1, 0]], table), [[table[1] * 2, table[0] * 2]])


def test_token_embedding_equals_one_hot_times_table(rng: np.random.Generator) -> None:
    table, ids = rng.normal(size=(7, 5)), rng.integers(0, 7, size=(2, 3))
    np.testing.assert_allclose(ref.token_embedding(ids, table), np.eye(7)[ids] @ table * math.sqrt(5))


def test_tied_output_scores_each_token_by_its_row() -> None:
    table = np.array([[1.0, 0.0], [1.0, 2.0]])
    np.testing.assert_array_equal(ref.tied_output([0, 1], table), [[1.0, 1.0], [1.0, 5.0]])


def test_feed_forward_cuts_negative_hidden_values() -> None:
    x, W_1, b_1 = np.array([[1.0]]), np.array([[2.0, -3.0]]), np.array([0.5, 0.0])
    result = ref.feed_forward(x, W_1, b_1, np.array([[10.0], [100.0]]), np.array([1.0]))
    np.testing.assert_array_equal(result, [[26.0]])


def test_layer_norm_uses_the_biased_variance_with_eps_under_the_root() -> None:
    x = np.array([1.0, 3.0])  # mean 2, variance 1
    np.testing.assert_allclose(ref.layer_norm(x, np.ones(2), np.zeros(2), eps=0.0), [-1.0, 1.0])
    np.testing.assert_allclose(ref.layer_norm(x, np.ones(2), np.zeros(2), eps=3.0), [-0.5, 0.5])
    np.testing.assert_allclose(ref.layer_norm(x, [2.0, 3.0], [10.0, 20.0], eps=3.0), [9.0, 21.5])


def test_add_norm_normalises_the_sum() -> None:
    result = ref.add_norm([1.0, 1.0], [0.0, 2.0], np.ones(2), np.zeros(2), eps=0.0)
    np.testing.assert_allclose(result, [-1.0, 1.0])


def test_multi_head_attention_gives_each_head_its_own_columns() -> None:
    # Head 1 compares columns 1, head 2 columns 2; identity projections. Each head prefers another key.
    query = np.array([[math.log(3), math.log(9)]])
    key = np.array([[1.0, 0.0], [0.0, 1.0]])
    weights = {role: np.eye(2) for role in ("w_q", "w_k", "w_v", "w_o")}
    result = ref.multi_head_attention(query, key, np.array([[4.0, 0.0], [0.0, 10.0]]), weights, 2)
    np.testing.assert_allclose(result, [[3.0, 9.0]], rtol=1e-14)


def test_dropout_rescales_the_survivors(rng: np.random.Generator) -> None:
    dropped = ref.dropout(np.ones(100_000), 0.25, rng=rng)
    assert set(np.unique(dropped)) == {0.0, 1 / 0.75}
    assert abs(float(dropped.mean()) - 1.0) < 0.01


def test_dropout_is_the_identity_in_evaluation_and_at_zero() -> None:
    x = np.arange(4.0)
    np.testing.assert_array_equal(ref.dropout(x, 0.5, training=False), x)
    np.testing.assert_array_equal(ref.dropout(x, 0.0), x)


def test_noam_rate_rises_to_its_peak_at_warmup_and_then_falls_with_the_root() -> None:
    assert ref.noam_lr(4000, 512, 4000) == pytest.approx((512 * 4000) ** -0.5, rel=1e-14)
    assert ref.noam_lr(1, 512, 4000) == pytest.approx(ref.noam_lr(4000, 512, 4000) / 4000, rel=1e-12)
    assert ref.noam_lr(16000, 512, 4000) == pytest.approx(ref.noam_lr(4000, 512, 4000) / 2, rel=1e-12)


def test_first_adam_step_moves_by_the_rate_against_the_sign() -> None:
    params, m, v = ref.adam_step(np.full(2, 3.0), np.array([0.5, -8.0]), np.zeros(2), np.zeros(2), 1, lr=0.1)
    np.testing.assert_allclose(params, [2.9, 3.1], rtol=1e-8)
    np.testing.assert_allclose(m, [0.05, -0.8], rtol=1e-14)
    np.testing.assert_allclose(v, [0.005, 1.28], rtol=1e-14)


def test_label_smoothing_of_uniform_logits_is_the_logarithm_of_the_vocabulary() -> None:
    assert ref.label_smoothing_loss(np.zeros((2, 3, 5)), np.ones((2, 3), int), 0.1, 0) == pytest.approx(
        math.log(5), rel=1e-15
    )


def test_label_smoothing_shares_eps_among_all_tokens_and_skips_padding() -> None:
    logits = np.log([[0.5, 0.25, 0.25], [0.9, 0.05, 0.05]])
    by_hand = -(0.1 * math.log(0.5) + 0.8 * math.log(0.25) + 0.1 * math.log(0.25))
    assert ref.label_smoothing_loss(logits, [1, 0], 0.3, pad_id=0) == pytest.approx(by_hand, rel=1e-14)
    assert ref.label_smoothing_loss(logits, [0, 0], 0.3, pad_id=0) == 0.0


def test_teacher_forcing_shifts_by_one_and_returns_copies() -> None:
    target = np.array([[1, 7, 8, 2]])
    read, say = ref.teacher_forcing_pair(target)
    assert read.tolist() == [[1, 7, 8]]
    assert say.tolist() == [[7, 8, 2]]
    read[:] = 0
    assert target.tolist() == [[1, 7, 8, 2]]
