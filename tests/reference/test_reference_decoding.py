"""Greedy and beam decoding on tables of probabilities small enough to search through."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import reference as ref

BOS, EOS = 0, 1


def table_of(rows: dict[tuple[int, ...], list[float]]) -> Callable[[list[int]], Any]:
    return lambda prefix: np.log(rows[tuple(prefix)])


def random_step_fn(seed: int, vocab: int) -> Callable[[list[int]], Any]:
    """Log-probabilities that depend on the whole prefix."""

    def step(prefix: list[int]) -> Any:
        return ref.log_softmax(np.random.default_rng([seed, *prefix]).normal(size=vocab) * 2)

    return step


def score(step_fn: Callable[[list[int]], Any], tokens: list[int]) -> float:
    return float(sum(step_fn(tokens[:i])[tokens[i]] for i in range(1, len(tokens))))


def test_beam_of_two_finds_what_greed_misses() -> None:
    step = table_of(
        {
            (0,): [0.0001, 0.0999, 0.5, 0.4],
            (0, 2): [0.3, 0.3, 0.2, 0.2],
            (0, 3): [0.02, 0.95, 0.02, 0.01],
        }
    )
    assert ref.greedy_decode(step, BOS, EOS, 3) == [0, 2, 0]
    assert ref.beam_search(step, BOS, EOS, 3, 2) == [0, 3, 1]


def test_a_finished_hypothesis_keeps_its_place_and_wins_over_a_longer_worse_one() -> None:
    step = table_of({(0,): [0.1, 0.5, 0.4], (0, 2): [0.1, 0.45, 0.45], (0, 2, 2): [0.2, 0.4, 0.4]})
    assert ref.beam_search(step, BOS, EOS, 4, 2) == [0, 1]


def test_an_unfinished_hypothesis_may_be_the_answer() -> None:
    step = table_of({(0,): [0.05, 0.15, 0.8], (0, 2): [0.05, 0.05, 0.9]})
    assert ref.beam_search(step, BOS, EOS, 3, 2) == [0, 2, 2]


def test_equal_scores_go_to_the_lowest_token() -> None:
    assert ref.greedy_decode(lambda _: np.zeros(4), 3, 1, 3) == [3, 0, 0]
    assert ref.beam_search(lambda _: np.zeros(4), 3, 1, 3, 3) == [3, 0, 0]


def test_room_for_bos_alone_gives_bos_alone() -> None:
    assert ref.greedy_decode(lambda _: np.zeros(4), BOS, EOS, 1) == [BOS]
    assert ref.beam_search(lambda _: np.zeros(4), BOS, EOS, 1, 3) == [BOS]


def test_a_step_function_may_spoil_its_list() -> None:
    def spoil(prefix: list[int]) -> Any:
        prefix.clear()
        return np.array([-3.0, -2.0, -1.0])

    assert ref.greedy_decode(spoil, BOS, EOS, 4) == [0, 2, 2, 2]
    assert ref.beam_search(spoil, BOS, EOS, 4, 1) == [0, 2, 2, 2]


@settings(derandomize=True, deadline=None, max_examples=40)
@given(seed=st.integers(0, 10**6), vocab=st.integers(2, 5), max_len=st.integers(1, 5))
def test_beam_of_one_is_greedy_and_a_full_beam_is_exhaustive_search(seed: int, vocab: int, max_len: int) -> None:
    step = random_step_fn(seed, vocab)
    greedy = ref.greedy_decode(step, BOS, EOS, max_len)
    assert greedy[0] == BOS
    assert len(greedy) <= max_len
    assert EOS not in greedy[1:-1]
    assert ref.beam_search(step, BOS, EOS, max_len, 1) == greedy

    all_ways = [[BOS]] if max_len == 1 else []
    for length in range(2, max_len + 1):
        all_ways += [
            [BOS, *rest]
            for rest in itertools.product(range(vocab), repeat=length - 1)
            if EOS not in rest[:-1] and (rest[-1] == EOS or length == max_len)
        ]
    best = max(all_ways, key=lambda tokens: score(step, tokens))
    assert ref.beam_search(step, BOS, EOS, max_len, vocab**max_len) == best
