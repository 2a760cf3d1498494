"""The numpy functions differentiated by central differences, against torch's autograd through the modules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import reference as ref

torch = pytest.importorskip("torch")

from reference import modules  # noqa: E402 - it needs torch

STEP = 1e-6


def central_differences(function: Callable[[Any], Any], x: Any, seed: Any) -> Any:
    """Return the gradient of ``sum(function(x) * seed)`` with respect to each entry of x."""
    gradient = np.empty_like(x)
    for index in np.ndindex(x.shape):
        up, down = x.copy(), x.copy()
        up[index] += STEP
        down[index] -= STEP
        gradient[index] = np.sum((function(up) - function(down)) * seed) / (2 * STEP)
    return gradient


def check(functions: tuple[Callable[..., Any], Callable[..., Any]], *arrays: Any) -> None:
    """Compare the gradients of a numpy function and of a torch function for every array."""
    in_numpy, in_torch = functions
    tensors = [torch.from_numpy(array).requires_grad_() for array in arrays]
    output = in_torch(*tensors)
    seed = np.random.default_rng(3).normal(size=tuple(output.shape))
    (output * torch.from_numpy(np.asarray(seed))).sum().backward()
    for i, (array, leaf) in enumerate(zip(arrays, tensors, strict=True)):

        def of_one(x: Any, i: int = i) -> Any:
            return in_numpy(*arrays[:i], x, *arrays[i + 1 :])

        found = central_differences(of_one, array, seed)
        np.testing.assert_allclose(found, leaf.grad.numpy(), rtol=1e-6, atol=1e-7)


def test_softmax(rng: np.random.Generator) -> None:
    check((ref.softmax, lambda x: x.softmax(-1)), rng.normal(size=(3, 5)))
    check((ref.log_softmax, lambda x: x.log_softmax(-1)), rng.normal(size=(3, 5)))


def test_attention_with_a_mask(rng: np.random.Generator) -> None:
    mask = np.array([[True, False, True], [False, False, False], [True, True, True], [False, True, False]])
    check(
        (
            lambda Q, K, V: ref.scaled_dot_product_attention(Q, K, V, mask)[0],
            lambda Q, K, V: modules.scaled_dot_product_attention(Q, K, V, torch.from_numpy(mask))[0],
        ),
        rng.normal(size=(2, 4, 5)),
        rng.normal(size=(2, 3, 5)),
        rng.normal(size=(2, 3, 2)),
    )


def test_layer_norm(rng: np.random.Generator) -> None:
    x, gain, shift = rng.normal(size=(3, 5)), rng.normal(size=5), rng.normal(size=5)

    def in_torch(x: Any, gain: Any, shift: Any) -> Any:
        module = modules.LayerNorm(5)
        return torch.func.functional_call(module, {"gain": gain, "shift": shift}, (x,))

    check((ref.layer_norm, in_torch), x, gain, shift)


def test_feed_forward(rng: np.random.Generator) -> None:
    def in_torch(x: Any, W_1: Any, b_1: Any, W_2: Any, b_2: Any) -> Any:
        parameters = {"w_1.weight": W_1.T, "w_1.bias": b_1, "w_2.weight": W_2.T, "w_2.bias": b_2}
        return torch.func.functional_call(modules.PositionwiseFeedForward(3, 5), parameters, (x,))

    shapes = [(2, 3), (3, 5), (5,), (5, 3), (3,)]
    check((ref.feed_forward, in_torch), *(rng.normal(size=shape) for shape in shapes))


def test_label_smoothing(rng: np.random.Generator) -> None:
    target = np.array([[1, 4, 0], [2, 0, 3]])
    check(
        (
            lambda logits: ref.label_smoothing_loss(logits, target, 0.1, 0),
            lambda logits: modules.label_smoothing_loss(logits, torch.from_numpy(target), 0.1, 0),
        ),
        rng.normal(size=(2, 3, 5)),
    )


def test_token_embedding(rng: np.random.Generator) -> None:
    ids = np.array([[0, 2], [2, 1]])

    def in_torch(table: Any) -> Any:
        module = modules.TokenEmbedding(3, 4)
        return torch.func.functional_call(module, {"embedding.weight": table}, (torch.from_numpy(ids),))

    check((lambda table: ref.token_embedding(ids, table), in_torch), rng.normal(size=(3, 4)))


def torch_parameter(role: str, array: Any) -> tuple[str, Any]:
    """Return the name and the value of the module's parameter for an array by role."""
    *path, last = role.split(".")
    if last.startswith("w_"):
        return f"{role}.weight", array.T
    if last.startswith("b_"):
        return ".".join([*path, f"w_{last[2:]}.bias"]), array
    return ".".join([*path, "norm", last]), array


def in_torch_by_role(module: Any, roles: list[str]) -> Callable[..., Any]:
    """Return the module as a function of its arrays, in the order of the roles, and of its inputs."""

    def call(arrays: tuple[Any, ...], *inputs: Any) -> Any:
        parameters = dict(torch_parameter(*pair) for pair in zip(roles, arrays, strict=True))
        return torch.func.functional_call(module.double(), parameters, inputs)

    return call


@pytest.mark.parametrize("position", ["post", "pre"])
def test_every_weight_and_input_of_a_decoder_layer(
    rng: np.random.Generator, draw_layer: Callable[..., dict[str, Any]], position: Any
) -> None:
    weights = draw_layer(4, 3, cross=True)
    roles = list(weights)
    mask = ref.causal_mask(3)
    module = modules.DecoderLayer(4, 2, 3, norm_position=position)
    call = in_torch_by_role(module, roles)
    check(
        (
            lambda x, memory, *arrays: ref.decoder_layer(
                x, memory, dict(zip(roles, arrays, strict=True)), 2, None, mask, norm_position=position
            ),
            lambda x, memory, *arrays: call(arrays, x, memory, None, torch.from_numpy(mask)),
        ),
        rng.normal(size=(1, 3, 4)),
        rng.normal(size=(1, 2, 4)),
        *weights.values(),
    )


def test_every_weight_and_input_of_an_encoder_layer(
    rng: np.random.Generator, draw_layer: Callable[..., dict[str, Any]]
) -> None:
    weights = draw_layer(4, 3)
    roles = list(weights)
    call = in_torch_by_role(modules.EncoderLayer(4, 2, 3), roles)
    check(
        (
            lambda x, *arrays: ref.encoder_layer(x, dict(zip(roles, arrays, strict=True)), 2),
            lambda x, *arrays: call(arrays, x),
        ),
        rng.normal(size=(2, 3, 4)),
        *weights.values(),
    )


def test_every_weight_of_a_transformer(
    draw_transformer: Callable[..., dict[str, Any]],
) -> None:
    weights = draw_transformer(3, 4, 2, 1, 3)
    src, tgt = np.array([[0, 2, 1]]), np.array([[3, 1]])
    model = modules.Transformer(3, 4, 2, 1, 1, 3, max_len=4).double()
    layers = {"encoder.layers.0": weights["encoder"][0], "decoder.layers.0": weights["decoder"][0]}
    roles = [(side, role) for side, layer in layers.items() for role in layer]
    outside = ["src_table", "tgt_table", "generator.w", "generator.b"]

    def in_numpy(*arrays: Any) -> Any:
        tail = dict(zip(outside, arrays[: len(outside)], strict=True))
        inside: dict[str, dict[str, Any]] = {side: {} for side in layers}
        for (side, role), array in zip(roles, arrays[len(outside) :], strict=True):
            inside[side][role] = array
        tail |= {side.split(".")[0]: [layer] for side, layer in inside.items()}
        return ref.transformer(src, tgt, tail, 1)

    def in_torch(src_table: Any, tgt_table: Any, w: Any, b: Any, *arrays: Any) -> Any:
        names = [f"{side}.{role}" for side, role in roles]
        inside = dict(torch_parameter(*pair) for pair in zip(names, arrays, strict=True))
        whole = inside | {
            "src_embedding.embedding.weight": src_table,
            "tgt_embedding.embedding.weight": tgt_table,
            "generator.weight": w.T,
            "generator.bias": b,
        }
        return torch.func.functional_call(model, whole, (torch.from_numpy(src), torch.from_numpy(tgt)))

    arrays = [weights[name] for name in outside] + [layers[side][role] for side, role in roles]
    check((in_numpy, in_torch), *arrays)
