"""How a class is made and called: what the hand-out declares is passed, and what it does not is never asked."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from block_samples import Judge

from grader import components
from grader.blocks.block import keys_of
from grader.model.assignment import Argument, Interface
from grader.paper.weights import Roles

pytestmark = pytest.mark.torch

ATTENTION = """
import math
from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class Settings:
    width: int
    parts: int
    bias: bool = False


class MultiHeadAttention(nn.Module):
    def __init__(self, {takes}):
        super().__init__()
        {reads}
        if width % parts:
            raise ValueError("width must be a multiple of parts")
        self.parts = parts
        self.first, self.second, self.third, self.fourth = (nn.Linear(width, width) for _ in range(4))

    def forward(self, {given}):
        {before}
        rows = [layer(x) for layer, x in zip((self.first, self.second, self.third), (a, b, c))]
        q, k, v = (y.unflatten(-1, (self.parts, -1)).transpose(1, 2) for y in rows)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        {masks}
        out = self.fourth((scores.softmax(-1) @ v).transpose(1, 2).flatten(2))
        return {returns}
"""
HIDE = "scores = scores if mask is None else scores.masked_fill"
PLAIN = {
    "takes": "width, parts",
    "reads": "",
    "given": "a, b, c, mask=None",
    "before": "",
    "masks": f"{HIDE}(~mask, float('-inf'))",
    "returns": "out",
}
FREE = ("(n, m)", "(b, 1, 1, m)", "(b, h, n, m)")


def attention(**changed: str) -> str:
    return ATTENTION.format(**{**PLAIN, **changed})


def lost(judge: Judge, code: str, **interface: Any) -> set[str]:
    return set(judge("multi_head_attention", code, **interface).lost)


CONSTRUCTORS = {
    "names and constants": (
        {
            "takes": "*, n_embd, n_head, drop, device, flag",
            "reads": "width, parts, _ = n_embd, n_head, 1 / (flag is False)",
        },
        {"constructor": {"n_embd": "d_model", "n_head": "num_heads", "drop": 0.0, "device": "cpu", "flag": False}},
    ),
    "a size under two names": (
        {"takes": "width, parts, d_k, d_v", "reads": "assert d_k == d_v == width // parts"},
        {"constructor": ["d_model", "num_heads", "d_k", "d_v"]},
    ),
    "a constant in its place": (
        {"takes": "width, device, parts", "reads": "self.to(device)"},
        {"constructor": ["d_model", {"device": "cpu"}, "num_heads"]},
    ),
    "one config": (
        {"takes": "config", "reads": "width, parts = config.width, config['parts']"},
        {"config": {"width": "d_model", "parts": "num_heads", "bias": True}},
    ),
    "a config of the file's own class": (
        {"takes": "config", "reads": "width, parts = config.width, config.parts; assert type(config) is Settings"},
        {"config": {"width": "d_model", "parts": "num_heads"}, "config_class": "Settings"},
    ),
    "a config of a class that the file does not have": (
        {"takes": "config", "reads": "width, parts = config.width, config.parts"},
        {"config": {"width": "d_model", "parts": "num_heads"}, "config_class": "Sizes"},
    ),
    "a config of a class that does not take its fields": (
        {"takes": "config", "reads": "width, parts = config.width, config.parts"},
        {"config": {"width": "d_model", "parts": "num_heads", "kind": "post"}, "config_class": "Settings"},
    ),
    "a config and more": (
        {"takes": "config, layer", "reads": "width, parts = config.width, config.parts; assert layer == 0"},
        {"config": {"width": "d_model", "parts": "num_heads"}, "constructor": ["config", {"layer": 0}]},
    ),
    "nothing at all": (
        {"takes": "", "reads": "width, parts = 12, 3"},
        {"constructor": [], "sizes": {"d_model": 12, "num_heads": 3}},
    ),
}


@pytest.mark.parametrize("style", CONSTRUCTORS)
def test_a_module_is_made_as_the_handout_says(style: str, judged: Judge) -> None:
    changed, said = CONSTRUCTORS[style]
    assert not lost(judged, attention(**changed), conventions={**said, "mask_shapes": FREE})


def test_dropout_without_a_default_is_given(judged: Judge) -> None:
    code = attention(takes="width, parts, rate", reads="self.drop = nn.Dropout(rate)")
    said = {"constructor": ["d_model", "num_heads", "dropout"], "mask_shapes": FREE}
    assert not lost(judged, code, conventions=said)


CALLS = {
    "one tensor": ({"given": "a", "before": "b = c = a; mask = None"}, {"parameters": ("query",)}),
    "one tensor and a mask": ({"given": "a, mask=None", "before": "b = c = a"}, {"parameters": ("query", "mask")}),
    "keys are values": ({"given": "a, b, mask=None", "before": "c = b"}, {"parameters": ("query", "key", "mask")}),
    "another order": ({"given": "c, b, a, mask=None"}, {"parameters": ("value", "key", "query", "mask")}),
    "by names of its own": (
        {"given": "*, x, other, flag, keep=None", "before": "a, b, c, mask = x, other, other, keep; assert flag == 1"},
        {
            "arguments": (Argument("query", "x"), Argument("key", "other"), Argument(1, "flag", constant=True)),
            "parameters": ("query", "key"),
            "by_keyword": True,
        },
    ),
    "with a constant": (
        {"given": "a, b, c, cached, mask=None", "before": "assert cached is None"},
        {
            "arguments": (
                *map(Argument, ("query", "key", "value")), Argument(None, "cached", constant=True), Argument("mask")
            ),
            "parameters": ("query", "key", "value", "mask"),
        },
    ),
    "with weights beside": ({"returns": "out, scores.softmax(-1)"}, {}),
}  # fmt: skip


@pytest.mark.parametrize("style", CALLS)
def test_a_module_is_called_as_the_handout_says(style: str, judged: Judge) -> None:
    changed, said = CALLS[style]
    assert not lost(judged, attention(**changed), **said, conventions={"mask_shapes": FREE})


MASKS = {
    "keys": (["(b, m)"], f"{HIDE}(~mask[:, None, None], -1e9)", {}),
    "of each sample": (["(b, n, m)"], f"{HIDE}(~mask[:, None], -1e9)", {}),
    "positions first": (
        ["(n, m, b)"],
        f"{HIDE}(~mask.permute(2, 0, 1)[:, None], -1e9)",
        {},
    ),
    "a row for each head of each sample": (
        ["(b*h, n, m)"],
        f"{HIDE}(~mask.unflatten(0, (-1, self.parts)), -1e9)",
        {},
    ),
    "whole numbers": (
        ["(b, 1, n, m)"], f"{HIDE}(mask == 0, -1e9)", {"mask_type": "int"}
    ),
    "bytes": (
        ["(b, 1, n, m)"], f"assert mask is None or mask.dtype == torch.uint8; {HIDE}(mask == 0, -1e9)",
        {"mask_type": "byte"},
    ),
    "lengths": (["(b)"], f"{HIDE}(torch.arange(scores.shape[-1]) >= mask[:, None, None, None], -1e9)",
                {"mask": "lengths"}),
    "lengths of each query": (
        ["(b, n)"], f"{HIDE}(torch.arange(scores.shape[-1]) >= mask[:, None, :, None], -1e9)", {"mask": "lengths"}
    ),
    "always given": (["(b, 1, n, m)"], "scores = scores.masked_fill(~mask, -1e9)", {"mask_required": True}),
    "additive and always given": (
        ["(b, 1, n, m)"], "assert mask.shape[2:] == scores.shape[2:]; scores = scores + mask",
        {"mask_required": True, "mask": "additive"},
    ),
}  # fmt: skip


@pytest.mark.sampled(3)
@pytest.mark.parametrize("style", MASKS)
def test_masks_are_asked_in_the_shapes_that_are_promised(style: str, judged: Judge) -> None:
    shapes, use, said = MASKS[style]
    right = attention(masks=use)
    assert not lost(judged, right, conventions={"mask_shapes": shapes, **said})
    ignored = attention(masks="assert mask is None or mask.ndim")
    assert any(check.startswith("mask") for check in lost(judged, ignored, conventions={"mask_shapes": shapes, **said}))


def test_a_mask_that_is_not_promised_is_not_asked(judged: Judge) -> None:
    found = judged("multi_head_attention", attention(), conventions={"mask_shapes": ["(n, m)"]})
    asked = {outcome.check.partition(".")[2] for outcome in found.outcomes}
    assert "mask_for_all" in asked
    assert not asked & {"mask_per_sample", "mask_per_head", "mask_of_keys"}


FEED_FORWARD = """
from torch import nn


class PositionwiseFeedForward(nn.Module):
    def __init__(self, width, inner):
        super().__init__()
        self.up, self.down = nn.Linear(width, inner), nn.Linear(inner, width)

    def forward(self, x):
        return self.down(self.up(x).relu())
"""


def test_no_rate_is_asked_of_a_network_that_takes_none(judged: Judge) -> None:
    found = judged("feed_forward", FEED_FORWARD, conventions={"constructor": ["d_model", "d_ff"]})
    assert not found.lost
    assert not any("dropout" in outcome.check for outcome in found.outcomes)


SAYS = {
    "a size with a slip": ({"constructor": {"width": "d_modle"}}, "constructor.width: there is no size 'd_modle'"),
    "a constant without a name": ({"constructor": ["d_model", "cpu"]}, "A constant has a name: {cpu: …}"),
    "a config that nobody takes": ({"config": {"n": "d_model"}, "constructor": ["d_model"]}, "does not take it"),
    "a config without fields": ({"constructor": ["config"]}, "say what is in it"),
    "a size that is none": ({"sizes": {"d_model": 0}}, "expected a whole number above 0"),
    "an unknown size": ({"sizes": {"heads": 3}}, "Did you mean 'num_heads'"),
    "heads that do not divide": ({"sizes": {"d_model": 10, "num_heads": 3}}, "expected num_heads (3) to divide"),
    "a shape without keys": ({"mask_shapes": ["(b, n)"]}, "expected axes such as (b, 1, n, m)"),
    "lengths with keys": ({"mask": "lengths", "mask_shapes": ["(b, m)"]}, "expected axes such as (b, n) of lengths"),
    "an axis that is none": ({"mask_shapes": ["(b, z, m)"]}, "'z' is none of them"),
    "a shape of no mask": ({"mask_shapes": {"src_mask": ["(n, m)"]}}, "there is no mask 'src_mask'"),
    "a type of masks": ({"mask_type": "text"}, "expected bool, int, byte or float"),
}


@pytest.mark.parametrize("what", SAYS)
def test_what_cannot_be_declared_is_told(what: str) -> None:
    said, told = SAYS[what]
    block = components.component("multi_head_attention", "class")
    interface = Interface("multi_head_attention", "MultiHeadAttention", conventions=said)
    complaints = [f"{'.'.join(map(str, at[1:]))}: {text}" for at, text in block.complaints(interface)]
    assert any(told in text for text in complaints), complaints


OF_MASKS = [
    name
    for name in components.names()
    if "class" in components.forms(name) and name != "copy_task" and "mask" in str(components.block(name).given)
]
SHAPES = [
    axes
    for size in range(1, 5)
    for axes in itertools.permutations(("b", "h", "n", "m"), size)
    if "m" in axes or len(axes) == 1
]


@pytest.mark.parametrize("name", OF_MASKS)
def test_a_mask_of_each_shape_that_can_be_promised_is_asked_by_a_check(name: str) -> None:
    block = components.block(name)
    for axes in SHAPES:
        meaning = "attend" if "m" in axes else "lengths"
        said = {"mask": meaning, "mask_shapes": [f"({', '.join(axes)})", f"({', '.join((*axes, '1'))})"]}
        interface = Interface(name, "Part", block.parameters, conventions=said)
        cases = block.cases_for(np.random.default_rng(0), block.making(interface, "Part"))
        asked = {key for check in block.checks for key in keys_of(check.keys, [case.key for case in cases])}
        assert {case.key for case in cases} <= asked, said


@pytest.mark.parametrize("name", ["decoder_layer", "decoder", "transformer"])
@pytest.mark.parametrize("shape", ["(b, m)", "(b, 1, 1, m)", "(b, 1, n, m)"])
def test_no_query_is_left_without_a_key_where_the_future_is_hidden_as_well(name: str, shape: str) -> None:
    block = components.block(name)
    interface = Interface(name, "Part", block.parameters, conventions={"mask_shapes": {"tgt_mask": [shape]}})
    for seed in range(40):
        for case in block.cases_for(np.random.default_rng(seed), block.making(interface, "Part")):
            mask = case.inputs.get("tgt_mask")
            if mask is not None:
                n = np.shape(mask)[-1]
                assert (np.asarray(mask) & np.tri(n, dtype=bool)).any(axis=-1).all(), (seed, case.key)


def test_a_model_hides_the_future_beside_a_target_mask_of_padding() -> None:
    block = components.block("transformer")
    said = {"mask_shapes": {"tgt_mask": ["(b, m)"]}}
    interface = Interface("transformer", "Transformer", block.parameters, conventions=said)
    rng = np.random.default_rng(0)
    (case,) = [case for case in block.cases_for(rng, block.making(interface, "Transformer")) if case.key == "tgt"]
    given = case.inputs["tgt_mask"]
    assert given.handed_over().shape == case.inputs["tgt"].shape
    weights = Roles({role: rng.normal(size=shape) for role, shape in block.shapes(block.sizes).items()})
    n = case.inputs["tgt"].shape[1]
    square = {**case.inputs, "tgt_mask": np.asarray(given) & np.tri(n, dtype=bool)}
    one, other = (block.compute(weights, inputs, block.sizes, {}) for inputs in (case.inputs, square))
    assert np.array_equal(one, other)
