"""Random weights by role, from a seeded generator: gains and biases too, since ones and zeros hide bugs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20170612)


@pytest.fixture
def draw_layer(rng: np.random.Generator) -> Callable[..., dict[str, Any]]:
    """Return ``draw(d_model, d_ff, cross=False)``: the weights of an encoder layer, or of a decoder layer."""

    def draw(d_model: int, d_ff: int, *, cross: bool = False) -> dict[str, Any]:
        def matrix(rows: int, columns: int) -> Any:
            return rng.normal(size=(rows, columns)) / np.sqrt(rows)

        weights: dict[str, Any] = {}
        for block in ("self_attention", "cross_attention")[: 1 + cross]:
            for role in "qkvo":
                weights[f"{block}.w_{role}"] = matrix(d_model, d_model)
                weights[f"{block}.b_{role}"] = rng.normal(size=d_model)
        weights["feed_forward.w_1"] = matrix(d_model, d_ff)
        weights["feed_forward.b_1"] = rng.normal(size=d_ff)
        weights["feed_forward.w_2"] = matrix(d_ff, d_model)
        weights["feed_forward.b_2"] = rng.normal(size=d_model)
        for number in range(1, 3 + cross):
            weights[f"norm_{number}.gain"] = rng.uniform(0.5, 1.5, size=d_model)
            weights[f"norm_{number}.shift"] = rng.normal(size=d_model)
        return weights

    return draw


@pytest.fixture
def draw_transformer(
    rng: np.random.Generator, draw_layer: Callable[..., dict[str, Any]]
) -> Callable[..., dict[str, Any]]:
    """Return ``draw(src_vocab, tgt_vocab, d_model, num_layers, d_ff)``: the weights of a whole model."""

    def draw(src_vocab: int, tgt_vocab: int, d_model: int, num_layers: int, d_ff: int) -> dict[str, Any]:
        return {
            "src_table": rng.normal(size=(src_vocab, d_model)),
            "tgt_table": rng.normal(size=(tgt_vocab, d_model)),
            "encoder": [draw_layer(d_model, d_ff) for _ in range(num_layers)],
            "decoder": [draw_layer(d_model, d_ff, cross=True) for _ in range(num_layers)],
            "generator.w": rng.normal(size=(d_model, tgt_vocab)),
            "generator.b": rng.normal(size=tgt_vocab),
        }

    return draw
