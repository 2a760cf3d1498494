"""Weights that are no parameters are filled and judged like others: what is missing is their registration alone."""

from __future__ import annotations

import pytest
from block_samples import OWN, Judge
from test_blocks_promised import DROPPING, SAID
from whole_submission import WHOLE, changed

pytestmark = pytest.mark.torch
ATTENTION = """
import math
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("indivisible")
        self.h = num_heads
        MADE

    def forward(self, query, key, value, mask=None):
        wq, wk, wv, wo = GOT
        q, k, v = (x.unflatten(-1, (self.h, -1)).transpose(1, 2) for x in (query @ wq, key @ wk, value @ wv))
        s = q @ k.mT / math.sqrt(q.shape[-1])
        if mask is not None:
            s = s.masked_fill(~(mask[:, None] if mask.dim() == 3 else mask), -math.inf)
        return (s.softmax(-1) @ v).transpose(1, 2).flatten(2) @ wo
"""
ATTRIBUTES = "self.wq, self.wk, self.wv, self.wo"
DRAWN = "torch.randn(d_model, d_model)"
LEARNED = "nn.Parameter(torch.randn(d_model, d_model))"
WAYS = {
    "attributes": (f"{ATTRIBUTES} = ({DRAWN} for _ in range(4))", ATTRIBUTES),
    "with_gradient": (f"{ATTRIBUTES} = ({DRAWN}.requires_grad_() for _ in range(4))", ATTRIBUTES),
    "buffers": (f"[self.register_buffer(name, {DRAWN}) for name in ('wq', 'wk', 'wv', 'wo')]", ATTRIBUTES),
    "list": (f"self.w = [{DRAWN} for _ in range(4)]", "self.w"),
    "dict": (f"self.w = {{name: {DRAWN} for name in 'qkvo'}}", "self.w.values()"),
    "one_of_four": (f"{ATTRIBUTES} = {DRAWN}, {LEARNED}, {LEARNED}, {LEARNED}", ATTRIBUTES),
}


def attention(way: str) -> str:
    made, got = WAYS[way]
    return ATTENTION.replace("MADE", made).replace("GOT", got)


@pytest.mark.parametrize("way", WAYS)
def test_attention_with_plain_tensors_lacks_registration_alone(judged: Judge, way: str) -> None:
    found = judged("multi_head_attention", attention(way))
    assert set(found.lost) == {"parameters_are_registered"}
    assert found.named == {"weights-not-registered"}
    words = "buffer" if way == "buffers" else "plain tensor"
    assert f"is a {words} and no nn.Parameter" in found.lost["parameters_are_registered"].message


def test_a_mistake_around_plain_tensors_is_named_beside(judged: Judge) -> None:
    found = judged("multi_head_attention", attention("attributes").replace(" / math.sqrt(q.shape[-1])", ""))
    assert found.named == {"sdpa-no-scale", "weights-not-registered"}


@pytest.mark.slow
def test_an_unlisted_mistake_around_plain_tensors_is_no_matter_for_a_person(judged: Judge) -> None:
    found = judged("multi_head_attention", attention("attributes").replace("@ wo", "@ wo.sin()"))
    assert found.lost["attends_to_itself"].verdict.value == "failed"


NORM = (
    "nn.Parameter(torch.ones(d_model)), nn.Parameter(torch.zeros(d_model))",
    "torch.ones(d_model), torch.zeros(d_model)",
)
TABLE = (
    "self.table = nn.Embedding(vocab, d_model)",
    "self.rows = torch.randn(vocab, d_model)\n        self.table = lambda ids: self.rows[ids]",
)
PLAIN = {
    "layer_norm": NORM,
    "add_norm": NORM,
    "encoder_layer": NORM,
    "token_embedding": TABLE,
    "transformer": TABLE,
}


@pytest.mark.parametrize("component", PLAIN)
def test_other_blocks_with_plain_tensors_lack_registration_alone(judged: Judge, component: str) -> None:
    found = judged(component, changed(PLAIN[component]))
    assert set(found.lost) == {"parameters_are_registered"}
    assert found.named == {"weights-not-registered"}


def test_learned_positions_in_a_plain_tensor_lack_registration_alone(judged: Judge) -> None:
    code = (OWN / "learned_positions_parameter.py").read_text()
    assert "nn.Parameter(" in code
    found = judged("learned_positional_encoding", code.replace("nn.Parameter(", "("))
    assert set(found.lost) == {"parameters_are_registered"}


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "kept", ["self.register_buffer('table', TABLE)", "self.table = nn.Parameter(TABLE, requires_grad=False)"]
)
@pytest.mark.parametrize("rows", ["max_len", "max_len + 1", "max(max_len, 60)", "5000"])
def test_a_table_of_positions_is_no_weight(judged: Judge, kept: str, rows: str) -> None:
    table = f"torch.from_numpy(positional_encoding({rows}, d_model)).float()"
    old = 'self.register_buffer("table", torch.from_numpy(positional_encoding(max_len, d_model)).float())'
    assert judged("transformer", changed((old, kept.replace("TABLE", table)))).said == {}


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "component", ["add_norm", "encoder_layer", "decoder_layer", "encoder", "decoder", "transformer"]
)
@pytest.mark.parametrize(
    ("norm", "name"),
    [
        ("nn.LayerNorm(d_model, elementwise_affine=False)", "ln-missing-affine"),
        ("nn.LayerNorm(d_model, bias=False)", "ln-missing-shift"),
    ],
)
def test_a_norm_inside_a_layer_learns_gain_and_shift(judged: Judge, component: str, norm: str, name: str) -> None:
    found = judged(component, changed(("self.norm, self.drop = LayerNorm(d_model)", f"self.norm, self.drop = {norm}")))
    assert set(found.lost) == {"parameters_are_registered"}
    assert found.named == {name}


@pytest.mark.parametrize("component", ["layer_norm", "add_norm", "token_embedding", "transformer"])
def test_the_hand_in_itself_is_right(judged: Judge, component: str) -> None:
    assert judged(component, WHOLE).said == {}


@pytest.mark.parametrize("rate", ["0.0", "0.1", "0.5"])
def test_a_plain_list_is_one_slip_whatever_its_layers_drop_where_eval_does_not_reach(judged: Judge, rate: str) -> None:
    kept = "[nn.Sequential(nn.Linear(width, width), nn.Dropout(rate)) for _ in range(4)]"
    code = DROPPING.replace("nn.ModuleList(nn.Linear(width, width) for _ in range(4))", kept)
    found = judged("multi_head_attention", code.replace("heads, rate)", f"heads, rate={rate})"), conventions=SAID)
    assert found.named == {"weights-not-registered"}
    assert list(found.lost) == ["parameters_are_registered"]


def test_a_plain_list_is_one_slip_where_no_rate_is_taken(judged: Judge) -> None:
    code = DROPPING.replace("nn.ModuleList(", "list(")
    code = code.replace("heads, rate)", "heads)").replace("        self.drop = nn.Dropout(rate)\n", "")
    found = judged("multi_head_attention", code, conventions={**SAID, "constructor": ["d_model", "num_heads"]})
    assert list(found.lost) == ["parameters_are_registered"]
    assert set(judged("multi_head_attention", code, conventions=SAID).lost) == {"parameters_are_registered"}


ROOT = """
import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, width, eps):
        super().__init__()
        self.eps, self.gain = eps, nn.Parameter(torch.ones(width))

    def forward(self, x):
        return self.gain * (x * (x.square().mean(-1, keepdim=True) + self.eps).rsqrt())
"""


def test_a_gain_that_a_course_declares_and_nobody_uses_is_one_slip(judged: Judge) -> None:
    said = {"constructor": ["d_model", "eps"], "centred": False, "affine": "gain"}
    found = judged("layer_norm", ROOT.replace("self.gain * (", "("), parameters=("x",), conventions=said)
    assert found.named == {"course-affine-none"}, found.said
    assert set(found.lost) == {"normalises_each_position", "learns_gain_and_shift"}
