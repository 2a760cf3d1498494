"""Counting parameters and work: against the paper's table 3, and by hand for a tiny model."""

from __future__ import annotations

import pytest

import reference as ref

MILLION = 1_000_000
BASE = {"N": 6, "d_model": 512, "d_ff": 2048, "h": 8, "d_k": 64, "d_v": 64}
# The rows of table 3 whose number of parameters is printed, in millions.
ROWS = [
    ({}, 65),
    ({"d_k": 16}, 58),
    ({"d_k": 32}, 60),
    ({"N": 2}, 36),
    ({"N": 4}, 50),
    ({"N": 8}, 80),
    ({"d_model": 256, "d_k": 32, "d_v": 32}, 28),
    ({"d_model": 1024, "d_k": 128, "d_v": 128}, 168),
    ({"d_ff": 1024}, 53),
    ({"d_ff": 4096}, 90),
]


def paper_parameters(vocab: int, *, N: int, d_model: int, d_ff: int, h: int, d_k: int, d_v: int) -> int:
    """Sections 3.1 to 3.4: one table shared by both embeddings and the output, no biases in attention."""
    attention = 2 * d_model * h * d_k + 2 * d_model * h * d_v
    feed_forward = 2 * d_model * d_ff + d_ff + d_model
    norm = 2 * d_model
    layers = N * (3 * attention + 2 * feed_forward + 5 * norm)
    return vocab * d_model + layers


def test_differences_between_rows_of_table_3_are_reproduced_within_rounding() -> None:
    """Rows of one width differ by layers alone: the vocabulary drops out. Two roundings make 1 million."""
    base = paper_parameters(37_000, **BASE)
    for change, printed in ROWS:
        if "d_model" not in change:
            difference = (paper_parameters(37_000, **BASE | change) - base) / MILLION
            assert abs(difference - (printed - 65)) <= 1.0, change


def test_big_and_base_models_with_the_shared_vocabulary_of_37000() -> None:
    """Section 5.1 says "about 37000" tokens: that makes 63.0 and 214.2 million; 65 and 213 are printed."""
    base = paper_parameters(37_000, **BASE)
    big = paper_parameters(37_000, **BASE | {"d_model": 1024, "d_ff": 4096, "h": 16})
    assert base / MILLION == pytest.approx(63.0, abs=0.05)
    assert big / MILLION == pytest.approx(214.2, abs=0.05)
    assert base / MILLION == pytest.approx(65, abs=2.0)
    assert big / MILLION == pytest.approx(213, abs=2.0)


def test_one_vocabulary_reproduces_all_rows_of_the_base_family_to_the_million() -> None:
    """The printed numbers of rows (base) to (C) all follow from a table of about 41,000 rows."""
    fitting = [
        vocab
        for vocab in range(36_000, 45_000, 100)
        if all(abs(paper_parameters(vocab, **BASE | row) / MILLION - said) <= 0.75 for row, said in ROWS)
    ]
    assert fitting
    assert min(fitting) > 40_000
    assert max(fitting) < 42_000


def test_count_parameters_differs_from_the_paper_by_what_it_says() -> None:
    """Two more matrices of vocabulary size, and a bias in every attention projection and the generator."""
    vocab, d_model, N = 37_000, 512, 6
    ours = ref.count_parameters(d_model, 8, N, 2048, vocab, vocab)
    extra = 2 * vocab * d_model + vocab + N * 3 * 4 * d_model
    assert ours - extra == paper_parameters(vocab, **BASE)


def test_count_parameters_of_a_model_small_enough_to_count_by_hand() -> None:
    # d_model 2, d_ff 3. Attention 4 * (4 + 2) = 24, feed-forward 6 + 3 + 6 + 2 = 17, a norm 4.
    # Encoder layer 24 + 17 + 8 = 49, decoder layer 48 + 17 + 12 = 77; tables (5 + 7) * 2, generator 14 + 7.
    assert ref.count_parameters(2, 1, 1, 3, 5, 7) == 49 + 77 + 24 + 21
    assert ref.count_parameters(2, 2, 1, 3, 5, 7) == ref.count_parameters(2, 1, 1, 3, 5, 7)
    assert ref.count_parameters(2, 1, 0, 3, 5, 7) == 24 + 21


def test_attention_work_counts_both_products() -> None:
    assert ref.attention_flops(2, 3, 5, 7) == 2 * 3 * 5 + 2 * 3 * 7
    assert ref.attention_flops(20, 20, 4, 4) == 4 * ref.attention_flops(10, 10, 4, 4)
