"""Masks that are added to the scores, always or where one is given, are learned as such."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from courses import HEAD

from grader.learning.lesson import Learned
from grader.model.report import Report

ALWAYS_ADDED = (
    HEAD
    + """class SelfAttention:
    def __init__(self, dim, heads):
        self.q, self.k, self.v, self.o = np.random.default_rng(0).normal(size=(4, dim, dim))
        self.heads = heads

    def __call__(self, x, attention_mask):
        q, k, v = (np.stack(np.split(x @ w, self.heads, -1), -3) for w in (self.q, self.k, self.v))
        s = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1]) + attention_mask
        p = np.exp(s - s.max(-1, keepdims=True))
        found = p / p.sum(-1, keepdims=True) @ v
        return np.concatenate([found[..., h, :, :] for h in range(self.heads)], -1) @ self.o
"""
)


@pytest.mark.slow
def test_a_mask_that_is_always_added_is_no_boolean(teach: Callable[[str, Path], Learned], tmp_path: Path) -> None:
    lesson = teach(ALWAYS_ADDED, tmp_path).judged[0]
    assert lesson.interface.conventions["mask"] == "additive"
    assert not lesson.mistakes


ADDED = (
    HEAD
    + """def causal_mask(n):
    return np.triu(np.full((n, n), {}), 1)


def attention(Q, K, V, mask=None):
    s = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    if mask is not None:
        s = s + mask
    w = np.exp(s - s.max(-1, keepdims=True))
    w = w / w.sum(-1, keepdims=True)
    return w @ V, w
"""
)


@pytest.mark.slow
@pytest.mark.parametrize(("number", "hides"), [("-np.inf", "infinite"), ("float('-inf')", "infinite"), ("-1e9", None)])
def test_masks_hide_with_what_the_course_makes_them_of(
    number: str, hides: str | None, teach: Callable[[str, Path], Learned], graded: Callable[..., Report], tmp_path: Path
) -> None:
    learned = teach(ADDED.format(number), tmp_path)
    said = {one.component: one.interface.conventions for one in learned.judged}
    assert said["scaled_dot_product_attention"].get("mask_hides") == hides
    if hides:
        report = graded(
            ADDED.format(number).replace("s = s + mask", "s = np.where(np.isneginf(mask), mask, s)"), tmp_path
        )
        assert report.score == report.max_score
