"""What every numpy function promises: types kept, inputs left alone, refusals with reasons, hooks."""

from __future__ import annotations

import functools
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import reference as ref

Draw = Callable[..., dict[str, Any]]


def test_importing_the_reference_does_not_import_torch() -> None:
    code = "import sys, reference; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_every_public_name_exists_and_is_documented() -> None:
    assert sorted(ref.__all__) == ref.__all__
    assert all(getattr(ref, name).__doc__ for name in ref.__all__)


def one_call_of_each(dtype: type, rng: np.random.Generator, draw: Draw) -> dict[str, tuple[Any, ...]]:
    def floats(*shape: int) -> Any:
        return rng.normal(size=shape).astype(dtype)

    layer = {role: array.astype(dtype) for role, array in draw(4, 6, cross=True).items()}
    block = {role.removeprefix("self_attention."): array for role, array in layer.items()}
    return {
        "softmax": (floats(2, 3),),
        "log_softmax": (floats(2, 3),),
        "scaled_dot_product_attention": (floats(2, 3), floats(5, 3), floats(5, 4), np.eye(2, 5, dtype=bool)),
        "token_embedding": (np.array([0, 1]), floats(2, 3)),
        "tied_output": (np.array([0, 1]), floats(2, 3)),
        "feed_forward": (floats(2, 3), floats(3, 5), floats(5), floats(5, 3), floats(3)),
        "layer_norm": (floats(2, 3), floats(3), floats(3)),
        "add_norm": (floats(2, 3), floats(2, 3), floats(3), floats(3)),
        "multi_head_attention": (floats(2, 4), floats(3, 4), floats(3, 4), block, 2),
        "dropout": (floats(2, 3), 0.5, True, np.random.default_rng(0)),
        "encoder_layer": (floats(2, 3, 4), layer, 2, ref.causal_mask(3)),
        "decoder_layer": (floats(2, 3, 4), floats(2, 5, 4), layer, 2, None, ref.causal_mask(3)),
        "encoder": (floats(2, 3, 4), [layer], 2),
        "decoder": (floats(2, 3, 4), floats(2, 5, 4), [layer], 2),
        "adam_step": (floats(3), floats(3), floats(3), floats(3) ** 2, 1, 0.1),
    }


def arrays_of(answer: Any) -> list[Any]:
    return list(answer) if isinstance(answer, tuple) else [answer]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_floating_input_keeps_its_type_and_is_not_changed(
    dtype: type, rng: np.random.Generator, draw_layer: Draw
) -> None:
    for name, arguments in one_call_of_each(dtype, rng, draw_layer).items():
        arrays = [each for each in arguments if isinstance(each, np.ndarray)]
        before = [each.copy() for each in arrays]
        for answer in arrays_of(getattr(ref, name)(*arguments)):
            assert answer.dtype == dtype, name
            assert not any(np.shares_memory(answer, each) for each in arrays), name
        for now, then in zip(arrays, before, strict=True):
            np.testing.assert_array_equal(now, then, err_msg=name)


def test_transformer_in_float32_stays_in_float32(draw_transformer: Draw) -> None:
    weights = draw_transformer(5, 7, 4, 1, 6)
    small = {
        name: [{role: array.astype(np.float32) for role, array in layer.items()} for layer in value]
        if isinstance(value, list)
        else value.astype(np.float32)
        for name, value in weights.items()
    }
    assert ref.transformer([[1, 2]], [[3, 4, 5]], small, 2).dtype == np.float32


def test_integers_become_float64() -> None:
    assert ref.softmax([1, 2]).dtype == np.float64
    assert ref.layer_norm([1, 2], [1, 1], [0, 0]).dtype == np.float64
    assert ref.scaled_dot_product_attention([[1]], [[1]], [[1]])[0].dtype == np.float64


REFUSED: list[tuple[str, Callable[[], Any]]] = [
    (
        "share d_k",
        lambda: ref.scaled_dot_product_attention(np.ones((2, 3)), np.ones((2, 4)), np.ones((2, 3))),
    ),
    (
        "as many rows",
        lambda: ref.scaled_dot_product_attention(np.ones((2, 3)), np.ones((2, 3)), np.ones((5, 3))),
    ),
    ("position axis", lambda: ref.scaled_dot_product_attention(np.ones(3), np.ones((2, 3)), np.ones((2, 3)))),
    (
        "must be boolean",
        lambda: ref.scaled_dot_product_attention(*[np.ones((2, 2))] * 3, mask=np.ones((2, 2))),
    ),
    ("cannot have -1", lambda: ref.causal_mask(-1)),
    ("between 0 and max_len = 3", lambda: ref.padding_mask([4], 3)),
    ("whole numbers", lambda: ref.padding_mask([1.5], 3)),
    ("flat list", lambda: ref.padding_mask([[1]], 3)),
    ("must be \\(batch, n\\)", lambda: ref.make_src_mask([1, 2], 0)),
    ("must be \\(batch, n\\)", lambda: ref.make_tgt_mask([1, 2], 0)),
    ("d_model >= 1", lambda: ref.positional_encoding(3, 0)),
    ("between 0 and 1", lambda: ref.token_embedding([2], np.ones((2, 3)))),
    ("between 0 and 1", lambda: ref.token_embedding([-1], np.ones((2, 3)))),
    ("whole numbers", lambda: ref.token_embedding([0.5], np.ones((2, 3)))),
    ("must be \\(vocab, d_model\\)", lambda: ref.tied_output([0], np.ones(3))),
    ("sublayer returned", lambda: ref.add_norm(np.ones((2, 3)), np.ones(3), np.ones(3), np.ones(3))),
    ("into 3 heads", lambda: ref.split_heads(np.ones((2, 4)), 3)),
    ("into 0 heads", lambda: ref.split_heads(np.ones((2, 4)), 0)),
    ("0 <= p < 1", lambda: ref.dropout(np.ones(3), 1.0)),
    ("0 <= p < 1", lambda: ref.dropout(np.ones(3), -0.1, training=False)),
    ("at least 1", lambda: ref.noam_lr(0, 512, 4000)),
    ("count from 1", lambda: ref.adam_step(1.0, 1.0, 0.0, 0.0, 0, 0.1)),
    ("one shape", lambda: ref.adam_step(np.ones(3), np.ones(1), np.zeros(3), np.zeros(3), 1, 0.1)),
    ("same keys", lambda: ref.adam_step({"a": 1.0}, {"b": 1.0}, {"a": 0.0}, {"a": 0.0}, 1, 0.1)),
    ("same length", lambda: ref.adam_step([1.0], [1.0, 1.0], [0.0], [0.0], 1, 0.1)),
    ("eps must lie", lambda: ref.label_smoothing_loss(np.ones((1, 3)), [1], 1.5, 0)),
    ("targets must be", lambda: ref.label_smoothing_loss(np.ones((2, 3)), [1], 0.1, 0)),
    ("between 0 and 2", lambda: ref.label_smoothing_loss(np.ones((1, 3)), [3], 0.1, 0)),
    ("counts bos", lambda: ref.greedy_decode(lambda _: [0.0], 0, 1, 0)),
    ("beam_size", lambda: ref.beam_search(lambda _: [0.0], 0, 1, 3, 0)),
    ("log-probabilities", lambda: ref.greedy_decode(lambda _: [[0.0]], 0, 1, 3)),
    ("n >= 1", lambda: ref.teacher_forcing_pair([1, 2])),
    ("into 3 heads", lambda: ref.count_parameters(4, 3, 1, 8, 5, 5)),
    ("at least 1", lambda: ref.count_parameters(4, 2, 1, 0, 5, 5)),
    ("negative", lambda: ref.attention_flops(-1, 1, 1, 1)),
]


@pytest.mark.parametrize(("message", "call"), REFUSED)
def test_a_broken_contract_is_refused_with_a_reason(message: str, call: Callable[[], Any]) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_an_unknown_norm_position_is_refused(draw_layer: Draw) -> None:
    with pytest.raises(ValueError, match="norm_position"):
        ref.encoder_layer(np.ones((2, 4)), draw_layer(4, 6), 2, norm_position="middle")  # type: ignore[arg-type]


def test_absent_biases_and_shifts_count_as_zero(rng: np.random.Generator, draw_layer: Draw) -> None:
    x, weights = rng.normal(size=(2, 3, 4)), draw_layer(4, 6)
    additive = {role for role in weights if ".b_" in role or role.endswith("shift")}
    zeroed = {role: np.zeros_like(a) if role in additive else a for role, a in weights.items()}
    absent = {role: array for role, array in weights.items() if role not in additive}
    np.testing.assert_array_equal(ref.encoder_layer(x, absent, 2), ref.encoder_layer(x, zeroed, 2))


def unscaled(Q: Any, K: Any, V: Any, mask: Any = None) -> Any:
    return ref.scaled_dot_product_attention(Q * np.sqrt(Q.shape[-1]), K, V, mask)


def test_a_faulty_attention_reaches_every_level(
    rng: np.random.Generator, draw_transformer: Draw, draw_layer: Draw
) -> None:
    """Dividing w_q by sqrt(d_k) undoes the fault: with such weights the faulty parts equal the right ones."""
    mha = functools.partial(ref.multi_head_attention, attend=unscaled)

    def cured(weights: dict[str, Any]) -> dict[str, Any]:
        return {role: a / np.sqrt(2) if role.endswith("_q") else a for role, a in weights.items()}

    x, memory, layer = rng.normal(size=(2, 3, 4)), rng.normal(size=(2, 5, 4)), draw_layer(4, 6, cross=True)
    right = ref.decoder_layer(x, memory, layer, 2)
    assert np.abs(ref.decoder_layer(x, memory, layer, 2, mha=mha) - right).max() > 1e-3
    np.testing.assert_allclose(ref.decoder_layer(x, memory, cured(layer), 2, mha=mha), right, rtol=1e-10)

    weights = draw_transformer(5, 7, 4, 2, 6)
    healed = {**weights, **{side: [cured(each) for each in weights[side]] for side in ("encoder", "decoder")}}
    src, tgt = np.array([[1, 2, 3]]), np.array([[4, 5]])
    expected = ref.transformer(src, tgt, weights, 2)
    np.testing.assert_allclose(ref.transformer(src, tgt, healed, 2, mha=mha), expected, rtol=1e-9)


def test_every_other_part_can_be_replaced(draw_transformer: Draw) -> None:
    weights = draw_transformer(5, 7, 4, 2, 6)
    src, tgt = np.array([[1, 2, 3]]), np.array([[4, 5]])
    right = ref.transformer(src, tgt, weights, 2)
    faults: dict[str, Any] = {
        "ffn": lambda x, W_1, b_1, W_2, b_2: (x @ W_1 + b_1) @ W_2 + b_2,
        "norm": lambda x, gain, shift, eps: ref.layer_norm(x, gain, shift, eps) + 1,
        "embed": lambda ids, table: table[ids],
        "position": lambda n, d: np.zeros((n, d)),
        "causal": lambda n: np.ones((n, n), dtype=bool),
        "encode": lambda x, *_, **__: x,
        "decode": lambda x, *_, **__: x,
        "norm_position": "pre",
    }
    for name, fault in faults.items():
        assert np.abs(ref.transformer(src, tgt, weights, 2, **{name: fault}) - right).max() > 1e-3, name
    swapped = functools.partial(ref.encoder, layer=lambda x, *_, **__: x)
    assert np.abs(ref.transformer(src, tgt, weights, 2, encode=swapped) - right).max() > 1e-3


def test_another_softmax_can_be_put_into_attention() -> None:
    Q = np.eye(2)
    _, weights = ref.scaled_dot_product_attention(Q, Q, Q, normalise=lambda scores: scores)
    np.testing.assert_allclose(weights, Q / np.sqrt(2))


def test_without_a_generator_the_output_is_tied_to_the_target_table(draw_transformer: Draw) -> None:
    weights = draw_transformer(5, 7, 4, 1, 6)
    tied = {name: value for name, value in weights.items() if not name.startswith("generator")}
    explicit = {**tied, "generator.w": weights["tgt_table"].T}
    src, tgt = np.array([[1, 2]]), np.array([[4, 5, 6]])
    np.testing.assert_array_equal(ref.transformer(src, tgt, tied, 2), ref.transformer(src, tgt, explicit, 2))
