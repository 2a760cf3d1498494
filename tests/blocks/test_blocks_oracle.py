"""With no knob turned, the blocks' numpy is the reference's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import reference
from grader.blocks.inputs import attention_shapes, layer_shapes, stack_shapes
from grader.blocks.layers import decoder_layer, encoder_layer
from grader.blocks.parts import ACTIVATIONS, attend, feed_forward, layer_norm, multi_head
from grader.blocks.sizes import Sizes
from grader.blocks.stacks import positions, transformer
from grader.blocks.weights import Roles

SIZES = Sizes()


def filled(shapes: Mapping[str, tuple[int, ...]], seed: int = 0) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    return {role: rng.normal(size=shape) * (0.3 if len(shape) > 1 else 1.0) for role, shape in shapes.items()}


def part(weights: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {role.removeprefix(f"{name}."): array for role, array in weights.items() if role.startswith(f"{name}.")}


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(1)


def test_multi_head_attention_is_the_reference_under_every_form_of_mask(rng: np.random.Generator) -> None:
    weights = filled(attention_shapes(SIZES))
    query, memory = rng.normal(size=(2, 4, 30)), rng.normal(size=(2, 7, 30))
    for mask in (None, rng.random((4, 7)) < 0.7, rng.random((2, 4, 7)) < 0.7, rng.random((2, 5, 4, 7)) < 0.7):
        if mask is not None:
            mask[..., 0] = True
        got = multi_head(query, memory, memory, Roles(weights), 5, mask)
        want = reference.multi_head_attention(query, memory, memory, weights, 5, mask)
        assert np.allclose(got, want, rtol=1e-12, atol=1e-12)


def test_layers_are_the_references(rng: np.random.Generator) -> None:
    x, memory = rng.normal(size=(2, 4, 30)), rng.normal(size=(2, 7, 30))
    weights = filled(layer_shapes(SIZES, "dec"))
    causal = np.tri(4, dtype=bool)
    got = decoder_layer(x, memory, Roles(weights), 5, None, causal)
    assert np.allclose(got, reference.decoder_layer(x, memory, weights, 5, None, causal), rtol=1e-12, atol=1e-12)
    weights = filled(layer_shapes(SIZES, "enc"))
    assert np.allclose(
        encoder_layer(x, Roles(weights), 5, None), reference.encoder_layer(x, weights, 5), rtol=1e-12, atol=1e-12
    )
    pre = reference.encoder_layer(x, weights, 5, norm_position="pre")
    assert np.allclose(encoder_layer(x, Roles(weights), 5, None, {"stack.norm": "pre"}), pre, rtol=1e-12, atol=1e-12)


def test_the_model_is_the_reference(rng: np.random.Generator) -> None:
    weights = filled(
        {
            "src_table": (11, 30),
            "tgt_table": (13, 30),
            "generator.w": (30, 13),
            "generator.b": (13,),
            **stack_shapes(SIZES, "enc", "encoder."),
            **stack_shapes(SIZES, "dec", "decoder."),
        }
    )
    src, tgt = rng.integers(0, 11, size=(2, 7)), rng.integers(0, 13, size=(2, 4))
    got = transformer(src, tgt, Roles(weights), 5, 2, None, None)
    whole = {name: weights[name] for name in ("src_table", "tgt_table", "generator.w", "generator.b")}
    whole |= {side: [part(weights, f"{side}.layer_{i}") for i in (1, 2)] for side in ("encoder", "decoder")}
    assert np.allclose(got, reference.transformer(src, tgt, whole, 5), rtol=1e-10, atol=1e-10)


def test_norm_network_and_table_are_the_references(rng: np.random.Generator) -> None:
    x = rng.normal(size=(2, 3, 30))
    gain, shift = rng.normal(size=(2, 30))
    assert np.allclose(
        layer_norm(x, Roles({"gain": gain, "shift": shift})), reference.layer_norm(x, gain, shift), atol=1e-12
    )
    w = {
        "w_1": rng.normal(size=(30, 44)),
        "b_1": rng.normal(size=44),
        "w_2": rng.normal(size=(44, 30)),
        "b_2": rng.normal(size=30),
    }
    want = reference.feed_forward(x, w["w_1"], w["b_1"], w["w_2"], w["b_2"])
    assert np.allclose(feed_forward(x, Roles(w)), want, atol=1e-12)
    assert np.allclose(positions(17, 30), reference.positional_encoding(17, 30), atol=1e-12)


def test_every_knob_setting_of_attention_changes_something(rng: np.random.Generator) -> None:
    q, k, v = rng.normal(size=(2, 5, 4, 6)), rng.normal(size=(2, 5, 4, 6)), rng.normal(size=(2, 5, 4, 6))
    mask = np.tri(4, dtype=bool)
    right = attend(q, k, v, mask, {}, 30)
    for knobs in (
        {"sdpa.scale": "none"},
        {"sdpa.axis": -2},
        {"sdpa.mask_time": "after"},
        {"sdpa.retrieve": "keys"},
        {"mha.scale": "d_model"},
    ):
        assert not np.allclose(attend(q, k, v, mask, knobs, 30), right, atol=1e-3)


def test_activations_hold_their_known_values() -> None:
    at_one = {
        "relu": 1.0,
        "gelu": 0.8413447,
        "silu": 0.7310586,
        "tanh": 0.7615942,
        "sigmoid": 0.7310586,
        "softplus": 1.3132617,
    }
    for name, value in at_one.items():
        assert ACTIVATIONS[name](np.array([1.0]))[0] == pytest.approx(value, abs=1e-6)
    assert ACTIVATIONS["elu"](np.array([-1.0]))[0] == pytest.approx(np.exp(-1) - 1)
