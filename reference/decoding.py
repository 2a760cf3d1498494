"""Decoding: writing a sequence, one token at a time (section 6.1 decodes with a beam of 4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from reference.floating import Array, floating


def greedy_decode(step_fn: Callable[[list[int]], npt.ArrayLike], bos: int, eos: int, max_len: int) -> list[int]:
    """Return the tokens found by always taking the likeliest next one; equal scores: the lowest token.

    ``step_fn(prefix)`` gives the log-probabilities ``(vocab,)`` of the next token; the prefix starts with
    `bos`. The result starts with `bos`, keeps `eos` where it was reached, and has at most `max_len` tokens
    counting `bos`. Raises ValueError where max_len < 1 or step_fn returns no flat, non-empty array.
    """
    _require_room(max_len)
    tokens = [bos]
    while len(tokens) < max_len:
        token = int(np.argmax(_next_scores(step_fn, tokens)))
        tokens.append(token)
        if token == eos:
            break
    return tokens


class Hypothesis(NamedTuple):
    """A sequence under construction, the sum of its log-probabilities, and whether it ended with eos."""

    tokens: list[int]
    score: float
    finished: bool


def beam_search(
    step_fn: Callable[[list[int]], npt.ArrayLike], bos: int, eos: int, max_len: int, beam_size: int, alpha: float = 0.0
) -> list[int]:
    """Return the likeliest sequence found when the `beam_size` best beginnings are kept at each step.

    The score is the sum of log-probabilities; at the end it is divided by the length penalty ((5 + |Y|) / 6)^alpha of
    Wu et al. (2016), |Y| being the number of tokens without `bos`. (The paper has alpha = 0.6.) A finished hypothesis
    keeps its place in the beam and competes with the others; the search ends when all are finished or `max_len` tokens
    are reached, and the best of finished and unfinished is returned. Equal scores: the sequence with the lower token
    where they first differ, so that a beam of 1 is `greedy_decode`.

    `step_fn` and the form of the result are those of `greedy_decode`. Raises ValueError where max_len < 1,
    beam_size < 1 or step_fn returns no flat, non-empty array.
    """
    _require_room(max_len)
    if beam_size < 1:
        raise ValueError(f"beam_size must be at least 1, not {beam_size}")
    beam = [Hypothesis([bos], 0.0, finished=False)]
    for _ in range(max_len - 1):
        if all(each.finished for each in beam):
            break
        candidates = [grown for each in beam for grown in _grow(each, step_fn, eos, beam_size)]
        beam = sorted(candidates, key=lambda each: (-each.score, each.tokens))[:beam_size]
    return max(beam, key=lambda each: each.score / ((4 + len(each.tokens)) / 6) ** alpha).tokens


def _grow(
    hypothesis: Hypothesis, step_fn: Callable[[list[int]], npt.ArrayLike], eos: int, beam_size: int
) -> list[Hypothesis]:
    """Return the best continuations of one hypothesis; more than `beam_size` of them can never be kept."""
    if hypothesis.finished:
        return [hypothesis]
    scores = _next_scores(step_fn, hypothesis.tokens)
    best = np.argsort(-scores, kind="stable")[:beam_size]
    return [
        Hypothesis([*hypothesis.tokens, int(t)], hypothesis.score + float(scores[t]), finished=int(t) == eos)
        for t in best
    ]


def _next_scores(step_fn: Callable[[list[int]], npt.ArrayLike], tokens: list[int]) -> Array:
    # A copy goes out: what step_fn does to its list must not change the result.
    scores = floating(step_fn(list(tokens)))
    if scores.ndim != 1 or scores.size == 0:
        raise ValueError(f"step_fn must return the log-probabilities (vocab,), not an array of shape {scores.shape}")
    return scores


def _require_room(max_len: int) -> None:
    if max_len < 1:
        raise ValueError(f"max_len counts bos and must be at least 1, not {max_len}")
