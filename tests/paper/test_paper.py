"""With no setting, the paper is the reference: every part that a function or a module is judged by."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import pytest

import reference
from grader.blocks.inputs import attention_shapes, layer_shapes, stack_shapes
from grader.blocks.sizes import Sizes
from grader.paper import norm
from grader.paper.attention import attention
from grader.paper.embedding import embed
from grader.paper.feed_forward import ACTIVATIONS, feed_forward
from grader.paper.layers import decoder_layer, encoder_layer
from grader.paper.positions import positional_encoding
from grader.paper.softmax import softmax
from grader.paper.stacks import transformer
from grader.paper.sublayers import multi_head, of
from grader.paper.weights import Roles

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


MODEL = {
    "src_table": (11, 30),
    "tgt_table": (13, 30),
    "generator.w": (30, 13),
    "generator.b": (13,),
    **stack_shapes(SIZES, "enc", "encoder."),
    **stack_shapes(SIZES, "dec", "decoder."),
}


@pytest.mark.parametrize("causal", ["always", "none"])
def test_padding_that_a_model_hides_is_hidden_whether_it_is_causal_or_not(
    causal: str, rng: np.random.Generator
) -> None:
    weights = Roles(filled(MODEL))
    src, tgt = rng.integers(0, 3, size=(2, 7)), rng.integers(0, 3, size=(2, 4))
    src[:, 0], tgt[:, 0] = 1, 2
    real = [(ids != 0)[:, None, None] for ids in (src, tgt)]
    seen = real[1] & np.tri(4, dtype=bool) if causal == "always" else real[1]
    got = transformer(src, tgt, weights, 5, 2, None, None, {"trf.own_padding": "src tgt", "trf.causal": causal})
    given = transformer(src, tgt, weights, 5, 2, real[0], seen, {"trf.causal": causal})
    assert np.allclose(got, given, rtol=1e-12, atol=1e-12)


def test_the_model_is_the_reference(rng: np.random.Generator) -> None:
    weights = filled(MODEL)
    src, tgt = rng.integers(0, 11, size=(2, 7)), rng.integers(0, 13, size=(2, 4))
    got = transformer(src, tgt, Roles(weights), 5, 2, None, None)
    whole = {name: weights[name] for name in ("src_table", "tgt_table", "generator.w", "generator.b")}
    whole |= {side: [part(weights, f"{side}.layer_{i}") for i in (1, 2)] for side in ("encoder", "decoder")}
    assert np.allclose(got, reference.transformer(src, tgt, whole, 5), rtol=1e-10, atol=1e-10)


Call = tuple[Any, ...]
PARTS: Mapping[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "softmax": (softmax, reference.softmax),
    "attention": (lambda *given: attention(*given)[-1:-3:-1], reference.scaled_dot_product_attention),
    "feed_forward": (
        lambda x, *arrays: feed_forward(x, Roles(dict(zip(("w_1", "b_1", "w_2", "b_2"), arrays, strict=True)))),
        reference.feed_forward,
    ),
    "layer_norm": (
        lambda x, gain, shift, eps=1e-5: norm.layer_norm(x, Roles({"gain": gain, "shift": shift}), eps),
        reference.layer_norm,
    ),
    "positions": (positional_encoding, reference.positional_encoding),
    "embedding": (embed, reference.token_embedding),
}


def calls(part: str, rng: np.random.Generator) -> Iterator[Call]:
    """Arguments of every rank and size that the part takes."""
    for lead in ((), (3,), (2, 3), (2, 1, 3)):
        n, m, d_k, d_v = rng.integers(2, 6, size=4)
        x = 4 * rng.normal(size=(*lead, n))
        q, k, v = (rng.normal(size=(*lead, rows, width)) for rows, width in ((n, d_k), (m, d_k), (m, d_v)))
        mask = rng.random((n, m)) < 0.6
        mask[:, 0] = True
        yield from {
            "softmax": [(x,), (x, 0)],
            "attention": [(q, k, v), (q, k, v, mask)],
            "feed_forward": [(x, *(rng.normal(size=shape) for shape in ((n, m), m, (m, n), n)))],
            "layer_norm": [(x, *rng.normal(size=(2, n))), (x, *rng.normal(size=(2, n)), 0.3)],
            "positions": [(int(n), int(m)), (1, 1)],
            "embedding": [(rng.integers(0, n, size=lead), rng.normal(size=(n, m)))],
        }[part]


def tupled(found: Any) -> tuple[Any, ...]:
    return found if isinstance(found, tuple) else (found,)


@pytest.mark.parametrize("part", PARTS)
def test_a_part_without_settings_is_the_references(part: str, rng: np.random.Generator) -> None:
    mine, right = PARTS[part]
    for given in calls(part, rng):
        for got, want in zip(tupled(mine(*given)), tupled(right(*given)), strict=True):
            assert got.shape == want.shape
            assert np.allclose(got, want, rtol=1e-12, atol=1e-12)


def test_a_part_is_given_the_settings_of_its_own_name() -> None:
    knobs = {"ln.eps_at": "root", "lpe.how": "twice", "enc.norm.1": "pre"}
    assert (of("ln", knobs), of("lpe", knobs), of("l", knobs)) == ({"eps_at": "root"}, {"how": "twice"}, {})
    assert of("enc", knobs) == {"norm.1": "pre"}


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
