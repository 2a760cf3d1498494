"""Weights of several norms, or of several heads, that lie in one tensor or add up: right modules lose nothing."""

from __future__ import annotations

import pytest
from block_samples import Judge

pytestmark = pytest.mark.torch

_HEADS = """
import torch
from torch import nn

class Head(nn.Module):
    def __init__(self, d_model, d_k):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(d_model, d_k, bias=False) for _ in range(3))

    def forward(self, query, key, value, mask):
        scores = self.q(query) @ self.k(key).transpose(1, 2) / self.q.out_features ** 0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, -1e9)
        return scores.softmax(-1) @ self.v(value)

class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("num_heads must divide d_model")
        d_k = d_model // num_heads
        self.heads = nn.ModuleList(Head(d_model, d_k) for _ in range(num_heads))
        self.out = nn.ModuleList(nn.Linear(d_k, d_model, bias={bias}) for i in range(num_heads))

    def forward(self, query, key, value, mask=None):
        total = 0
        for i, (head, out) in enumerate(zip(self.heads, self.out)):
            seen = mask[:, i % mask.shape[1]] if mask is not None and mask.dim() == 4 else mask
            total = total + out(head(query, key, value, seen))
        return total
"""
_LAYER = """
import torch
from torch import nn
from torch.nn import functional as F

class MultiHead(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.h = num_heads
        self.q, self.k, self.v, self.o = (nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, query, key, mask):
        b, n, d = query.shape
        q, k, v = (t.reshape(b, -1, self.h, d // self.h).transpose(1, 2)
                   for t in (self.q(query), self.k(key), self.v(key)))
        scores = q @ k.transpose(-2, -1) / (d // self.h) ** 0.5
        if mask is not None:
            scores = scores.masked_fill(~(mask[:, None] if mask.dim() == 3 else mask), -1e9)
        return self.o((scores.softmax(-1) @ v).transpose(1, 2).reshape(b, n, d))

class {name}(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0):
        super().__init__()
        self.own, self.cross = MultiHead(d_model, num_heads), {cross}
        self.ffn = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))
        self.gain, self.shift = (nn.Parameter(start({rows}, d_model)) for start in (torch.ones, torch.zeros))
        self.drop = nn.Dropout(dropout)

    def norm(self, i, x):
        {norm}

    def forward(self, {arguments}):
        {body}
"""
_FUNCTION = "return F.layer_norm(x, x.shape[-1:], self.gain[i], self.shift[i])"
_OWN = """c = x - x.mean(-1, keepdim=True)
        return c / (c.square().mean(-1, keepdim=True) + 1e-5).sqrt() * self.gain[i] + self.shift[i]"""
ENCODER = {
    "name": "EncoderLayer",
    "cross": "None",
    "rows": 2,
    "arguments": "x, mask=None",
    "body": "x = self.norm(0, x + self.drop(self.own(x, x, mask)))\n"
    "        return self.norm({last}, x + self.drop(self.ffn(x)))",
}
DECODER = {
    "name": "DecoderLayer",
    "cross": "MultiHead(d_model, num_heads)",
    "rows": 3,
    "arguments": "x, memory, src_mask=None, tgt_mask=None",
    "body": "x = self.norm(0, x + self.drop(self.own(x, x, tgt_mask)))\n"
    "        x = self.norm(1, x + self.drop(self.cross(x, memory, src_mask)))\n"
    "        return self.norm({last}, x + self.drop(self.ffn(x)))",
}


@pytest.mark.parametrize("bias", ["False", "True", "i == 0"])
def test_heads_whose_outputs_are_summed_are_right_wherever_the_bias_stands(judged: Judge, bias: str) -> None:
    assert judged("multi_head_attention", _HEADS.format(bias=bias)).lost == {}


def test_summed_heads_without_the_root_are_still_named(judged: Judge) -> None:
    code = _HEADS.format(bias="i == 0").replace(" / self.q.out_features ** 0.5", "")
    assert judged("multi_head_attention", code).named == {"sdpa-no-scale"}


@pytest.mark.parametrize("norm", [_FUNCTION, _OWN])
@pytest.mark.parametrize("layer", [ENCODER, DECODER], ids=["encoder", "decoder"])
def test_norms_that_are_rows_of_one_tensor_are_right(judged: Judge, layer: dict[str, str], norm: str) -> None:
    code = _layer(layer, norm)
    component = "encoder_layer" if layer is ENCODER else "decoder_layer"
    assert judged(component, code).lost == {}


def _layer(layer: dict[str, str], norm: str, change: tuple[str, str] = ("", "")) -> str:
    body = layer["body"].format(last=int(layer["rows"]) - 1)
    return _LAYER.format(**{**layer, "body": body, "norm": norm}).replace(*change)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("layer", [ENCODER, DECODER], ids=["encoder", "decoder"])
def test_a_residual_left_out_beside_such_norms_is_named(judged: Judge, layer: dict[str, str]) -> None:
    code = _layer(layer, _FUNCTION, ("x + self.drop(self.ffn(x))", "self.drop(self.ffn(x))"))
    component = "encoder_layer" if layer is ENCODER else "decoder_layer"
    named = judged(component, code).named
    assert named == {"enc-missing-residual" if layer is ENCODER else "dec-missing-residual"}
