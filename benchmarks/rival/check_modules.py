"""What a course would check of three torch modules with pytest: the same ideas as the grader, by properties.

A course that lets students name their own parameters cannot set weights, so that fewer things are checked than by the
grader: what is compared is to pytest's advantage.
"""

# ruff: noqa: ARG002, D101, D102 - a test has the arguments that pytest gives it, and a name that says it all

from __future__ import annotations

from typing import Any

import pytest
import torch
from work import load

work = load()
CASES = [(1, 2, 4, 1), (2, 3, 4, 2), (2, 5, 6, 3), (3, 2, 8, 4)]
"""Batch, length, d_model, heads."""
close = torch.testing.assert_close


def drawn(batch: int, length: int, width: int) -> Any:
    return torch.randn(batch, length, width)


def learned(module: Any, result: Any) -> None:
    """Every parameter gets a gradient."""
    result.sum().backward()
    assert list(module.parameters())
    assert all(parameter.grad is not None for parameter in module.parameters())


@pytest.mark.parametrize(("batch", "length", "width", "heads"), CASES)
class TestMultiHeadAttention:
    def made(self, width: int, heads: int) -> Any:
        torch.manual_seed(0)
        module = work.MultiHeadAttention(width, heads).eval()
        return lambda *given: found[0] if isinstance(found := module(*given), tuple) else found

    def test_shape(self, batch: int, length: int, width: int, heads: int) -> None:
        x = drawn(batch, length, width)
        assert self.made(width, heads)(x, x, x).shape == x.shape

    def test_cross_shape(self, batch: int, length: int, width: int, heads: int) -> None:
        x, memory = drawn(batch, length, width), drawn(batch, length + 2, width)
        assert self.made(width, heads)(x, memory, memory).shape == x.shape

    def test_order_of_keys(self, batch: int, length: int, width: int, heads: int) -> None:
        x, module = drawn(batch, length, width), self.made(width, heads)
        close(module(x, x.flip(1), x.flip(1)), module(x, x, x))

    def test_order_of_queries(self, batch: int, length: int, width: int, heads: int) -> None:
        x, module = drawn(batch, length, width), self.made(width, heads)
        close(module(x.flip(1), x, x), module(x, x, x).flip(1))

    def test_samples_apart(self, batch: int, length: int, width: int, heads: int) -> None:
        x, module = drawn(batch, length, width), self.made(width, heads)
        close(module(x[:1], x[:1], x[:1]), module(x, x, x)[:1])

    def test_causal(self, batch: int, length: int, width: int, heads: int) -> None:
        x, module = drawn(batch, length, width), self.made(width, heads)
        mask, later = torch.ones(length, length).tril().bool(), x.clone()
        later[:, -1] += 1
        close(module(later, later, later, mask)[:, :-1], module(x, x, x, mask)[:, :-1])

    def test_parameters(self, batch: int, length: int, width: int, heads: int) -> None:
        count = sum(parameter.numel() for parameter in work.MultiHeadAttention(width, heads).parameters())
        assert 4 * width * width <= count <= 4 * width * (width + 1)

    def test_gradients(self, batch: int, length: int, width: int, heads: int) -> None:
        x, module = drawn(batch, length, width), work.MultiHeadAttention(width, heads)
        found = module(x, x, x)
        learned(module, found[0] if isinstance(found, tuple) else found)


@pytest.mark.parametrize(("batch", "length", "width", "heads"), CASES)
class TestFeedForward:
    def test_shape(self, batch: int, length: int, width: int, heads: int) -> None:
        x = drawn(batch, length, width)
        assert work.PositionwiseFeedForward(width, 4 * width, 0.0)(x).shape == x.shape

    def test_positions_apart(self, batch: int, length: int, width: int, heads: int) -> None:
        x, module = drawn(batch, length, width), work.PositionwiseFeedForward(width, 4 * width, 0.0)
        close(module(x)[:, :1], module(x[:, :1]))

    def test_parameters(self, batch: int, length: int, width: int, heads: int) -> None:
        count = sum(p.numel() for p in work.PositionwiseFeedForward(width, 3 * width, 0.0).parameters())
        assert 6 * width * width <= count <= 6 * width * width + 4 * width

    def test_piecewise_linear(self, batch: int, length: int, width: int, heads: int) -> None:
        x, module = drawn(batch, length, width), work.PositionwiseFeedForward(width, 4 * width, 0.0)
        near, same = module(x + 1e-4 * x), module(x)
        close(module(x + 2e-4 * x) - near, near - same, atol=1e-5, rtol=1e-2)

    def test_gradients(self, batch: int, length: int, width: int, heads: int) -> None:
        module = work.PositionwiseFeedForward(width, 4 * width, 0.0)
        learned(module, module(drawn(batch, length, width)))


@pytest.mark.parametrize(("batch", "length", "width", "heads"), CASES)
class TestLayerNorm:
    def test_matches(self, batch: int, length: int, width: int, heads: int) -> None:
        x = 3 * drawn(batch, length, width) + 1
        close(work.LayerNorm(width, 1e-5)(x), torch.nn.LayerNorm(width)(x), atol=1e-4, rtol=1e-4)

    def test_small_variance(self, batch: int, length: int, width: int, heads: int) -> None:
        x = 1e-3 * drawn(batch, length, width)
        close(work.LayerNorm(width, 1e-5)(x), torch.nn.LayerNorm(width)(x), atol=1e-3, rtol=1e-2)

    def test_constant_row(self, batch: int, length: int, width: int, heads: int) -> None:
        assert torch.isfinite(work.LayerNorm(width, 1e-5)(torch.ones(batch, length, width))).all()

    def test_parameters(self, batch: int, length: int, width: int, heads: int) -> None:
        assert sum(parameter.numel() for parameter in work.LayerNorm(width, 1e-5).parameters()) == 2 * width

    def test_gradients(self, batch: int, length: int, width: int, heads: int) -> None:
        module = work.LayerNorm(width, 1e-5)
        learned(module, module(drawn(batch, length, width)))
