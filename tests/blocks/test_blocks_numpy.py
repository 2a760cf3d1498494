"""Classes without torch: their weights are arrays, in attributes or dicts, set or passed in."""

from __future__ import annotations

from typing import Any

import pytest
from block_samples import Judge

pytestmark = pytest.mark.torch

PARTS = """
import numpy as np


def soft(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


class Affine:
    def __init__(self, rows, columns, rng):
        self.p = {"b": np.zeros(columns), "w": rng.normal(size=(rows, columns)) / np.sqrt(rows)}

    def __call__(self, x):
        return x @ self.p["w"] + self.p["b"]


class LayerNorm:
    def __init__(self, d_model, eps=1e-5):
        self.beta, self.gamma, self.eps = np.zeros(d_model), np.ones(d_model), eps

    def forward(self, x):
        centred = x - x.mean(-1, keepdims=True)
        return self.beta + self.gamma * centred / np.sqrt((centred ** 2).mean(-1, keepdims=True) + self.eps)


class PositionwiseFeedForward:
    def __init__(self, d_model, d_ff):
        rng = np.random.default_rng(0)
        self.second, self.first = Affine(d_ff, d_model, rng), Affine(d_model, d_ff, rng)

    def forward(self, x):
        return self.second(np.maximum(self.first(x), 0))


class MultiHeadAttention:
    def __init__(self, d_model, num_heads):
        if d_model % num_heads:
            raise ValueError("heads")
        rng, self.h = np.random.default_rng(1), num_heads
        self.maps = [Affine(d_model, d_model, rng) for _ in range(4)]

    def cut(self, x):
        return x.reshape(*x.shape[:2], self.h, -1).transpose(0, 2, 1, 3)

    def forward(self, query, key, value, mask=None):
        q, k, v = (self.cut(f(x)) for f, x in zip(self.maps, (query, key, value)))
        scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
        if mask is not None:
            scores = np.where(mask, scores, -1e30)
        return self.maps[3]((soft(scores) @ v).transpose(0, 2, 1, 3).reshape(query.shape))


class EncoderLayer:
    def __init__(self, d_model, num_heads, d_ff):
        self.look, self.think = MultiHeadAttention(d_model, num_heads), PositionwiseFeedForward(d_model, d_ff)
        self.norms = {"after": LayerNorm(d_model), "last": LayerNorm(d_model)}

    def __call__(self, x, mask=None):
        x = self.norms["after"].forward(x + self.look.forward(x, x, x, mask))
        return self.norms["last"].forward(x + self.think.forward(x))
"""
SAID: dict[str, dict[str, Any]] = {
    "layer_norm": {"constructor": ["d_model", "eps"]},
    "feed_forward": {"constructor": ["d_model", "d_ff"]},
    "multi_head_attention": {"constructor": ["d_model", "num_heads"], "mask_shapes": ["(n, m)", "(b, 1, 1, m)"]},
    "encoder_layer": {"constructor": ["d_model", "num_heads", "d_ff"], "mask_shapes": ["(n, m)", "(b, 1, n, m)"]},
}
WRONG = {
    "sdpa-no-scale": ("multi_head_attention", " / np.sqrt(q.shape[-1])", ""),
    "mha-merge-without-transpose": (
        "multi_head_attention",
        "transpose(0, 2, 1, 3).reshape(query.shape)",
        "reshape(query.shape)",
    ),
    "ffn-missing-activation": ("feed_forward", "np.maximum(self.first(x), 0)", "self.first(x)"),
    "ln-divides-by-variance": ("layer_norm", "np.sqrt((centred ** 2).mean(-1, keepdims=True) + self.eps)",
                               "((centred ** 2).mean(-1, keepdims=True) + self.eps)"),
    "enc-missing-residual": ("encoder_layer", "x + self.think.forward(x)", "self.think.forward(x)"),
    "enc-one-norm-for-all": ("encoder_layer", '"last"].forward', '"after"].forward'),
}  # fmt: skip


@pytest.mark.parametrize("component", SAID)
def test_a_right_class_keeps_every_point(component: str, judged: Judge) -> None:
    found = judged(component, PARTS, conventions={"backend": "numpy", **SAID[component]})
    assert not found.lost, found.said
    assert not {"gradient_reaches_parameters", "works_in_float64"} & {one.check.split(".")[1] for one in found.outcomes}


def test_heads_may_be_joined_in_another_order(judged: Judge) -> None:
    code = PARTS.replace("(soft(scores) @ v)", "(soft(scores) @ v)[:, ::-1]")
    said = SAID["multi_head_attention"]
    assert not judged("multi_head_attention", code, conventions={"backend": "numpy", **said}).lost


DROPS = """
class MultiHeadAttention(MultiHeadAttention):
    def __init__(self, d_model, num_heads, dropout):
        super().__init__(d_model, num_heads)
        self.rate, self.training, self.draws = dropout, True, np.random.default_rng()

    def drop(self, x):
        return x * (self.draws.random(x.shape) >= self.rate) / (1 - self.rate) if self.training else x

"""


@pytest.mark.parametrize(
    ("dropped", "lost"), [("self.drop(soft(scores)) @ v", False), ("soft(self.drop(scores)) @ v", True)]
)
def test_draws_that_nobody_seeds_are_no_dropped_scores(judged: Judge, dropped: str, *, lost: bool) -> None:
    """A generator of the class's own differs from call to call: what it drops is told by a single key alone."""
    code = PARTS[: PARTS.index("class EncoderLayer")]
    forward = code[code.index("    def forward(self, query") :].replace("soft(scores) @ v", dropped)
    said = {**SAID["multi_head_attention"], "backend": "numpy", "constructor": ["d_model", "num_heads", "dropout"]}
    found = judged("multi_head_attention", code + DROPS + forward, conventions=said)
    assert ("drops_no_scores" in found.lost) == lost, found.said


@pytest.mark.sampled(2)
@pytest.mark.parametrize("mistake", WRONG)
def test_a_mistake_is_caught_and_named(mistake: str, judged: Judge) -> None:
    component, right, wrong = WRONG[mistake]
    assert PARTS.count(right) == 1
    code = PARTS.replace(right, wrong)
    found = judged(component, code, conventions={"backend": "numpy", **SAID[component]})
    assert mistake in found.named, found.said


def test_weights_may_lie_in_objects_beside_their_gradients(judged: Judge) -> None:
    held = """
class Weight:
    def __init__(self, value):
        self.value, self.gradient = value, np.zeros_like(value)
"""
    code = PARTS.replace('{"b": np.zeros(columns), "w":', '{"b": Weight(np.zeros(columns)), "w": Weight(')
    code = code.replace("/ np.sqrt(rows)}", "/ np.sqrt(rows))}").replace(
        'self.p["w"] + self.p["b"]', 'self.p["w"].value + self.p["b"].value'
    )
    code = code.replace("class Affine", f"{held}\n\nclass Affine")
    for component, said in SAID.items():
        found = judged(component, code, conventions={"backend": "numpy", **said})
        assert not found.lost, found.said


def test_weights_may_lie_deep(judged: Judge) -> None:
    boxed = "class Box:\n    def __init__(self, inner):\n        self.inner = inner\n\n\nclass Affine"
    code = PARTS.replace("class Affine", boxed).replace("self.p = {", "self.p = Box(Box(Box({")
    code = code.replace("/ np.sqrt(rows)}", "/ np.sqrt(rows)})))").replace("self.p[", "self.p.inner.inner.inner[")
    assert not judged("encoder_layer", code, conventions={"backend": "numpy", **SAID["encoder_layer"]}).lost


def test_arrays_that_take_no_part_are_no_weights(judged: Judge) -> None:
    code = PARTS.replace(
        "self.beta, self.gamma, self.eps = np.zeros(d_model), np.ones(d_model), eps",
        "self.beta, self.moment, self.gamma, self.eps = np.zeros(d_model), np.zeros(d_model), np.ones(d_model), eps",
    )
    for component in ("layer_norm", "encoder_layer"):
        assert not judged(component, code, conventions={"backend": "numpy", **SAID[component]}).lost


def test_weights_may_lie_in_tuples(judged: Judge) -> None:
    code = """
import numpy as np


class PositionwiseFeedForward:
    def __init__(self, d_model, d_ff):
        rng = np.random.default_rng(0)
        w, u = rng.normal(size=(d_model, d_ff)), rng.normal(size=(d_ff, d_model))
        self.layers = [(w, np.zeros(d_ff)), (u, np.zeros(d_model))]

    def forward(self, x):
        (w, b), (u, c) = self.layers
        return np.maximum(x @ w + b, 0) @ u + c
"""
    said = {"form": "class", "backend": "numpy", **SAID["feed_forward"]}
    assert not judged("feed_forward", code, conventions=said).lost


def test_weights_may_be_passed_in(judged: Judge) -> None:
    code = """
import numpy as np

class PositionwiseFeedForward:
    def __init__(self, W1, b1, W2, b2):
        self.W1, self.b1, self.W2, self.b2 = W1, b1, W2, b2

    def forward(self, x):
        return np.maximum(x @ self.W1 + self.b1, 0) @ self.W2 + self.b2
"""
    given = {"W1": "w_1", "b1": "b_1", "W2": "w_2", "b2": "b_2"}
    assert not judged("feed_forward", code, conventions={"backend": "numpy", "constructor": given}).lost
