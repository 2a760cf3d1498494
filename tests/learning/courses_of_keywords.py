"""Two more courses: caches that a call cannot leave out beside a GPU, and layers whose call hands on by name."""

from __future__ import annotations

from courses import Course

CACHES = Course(
    """
from typing import Optional

import torch
from torch import Tensor, nn


class PositionalEncoding(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.width = width

    def forward(self, x: Tensor):
        steps = torch.arange(x.shape[1])[:, None].cuda()
        angles = steps / 10000 ** (torch.arange(0, self.width, 2) / self.width).cuda()
        return x + torch.stack((angles.sin(), angles.cos()), -1).flatten(1).to(x.dtype)


class CausalSelfAttention(nn.Module):
    def __init__(self, width: int, context: int, head_size: Optional[int], num_heads: int, *, masked: bool):
        super().__init__()
        self.size, self.heads, self.masked = head_size or width // num_heads, num_heads, masked
        self.all, self.out = nn.Linear(width, 3 * self.size * num_heads), nn.Linear(self.size * num_heads, width)

    def forward(self, x: Tensor, kv: Tensor | None):
        q, k, v = (part.unflatten(-1, (self.heads, self.size)).transpose(1, 2) for part in self.all(x).chunk(3, -1))
        if kv is not None:
            k, v = torch.cat((kv[0], k), 2), torch.cat((kv[1], v), 2)
        scores = q @ k.mT / self.size ** 0.5
        if self.masked:
            scores = scores.masked_fill(torch.ones_like(scores[0, 0]).triu(1).bool(), float("-inf"))
        return self.out((scores.softmax(-1) @ v).transpose(1, 2).flatten(2)), None


class FeedForward(nn.Sequential):
    def __init__(self, width: int, scaling: int):
        super().__init__(nn.Linear(width, scaling * width), nn.ReLU(), nn.Linear(scaling * width, width))


class LayerNorm(nn.LayerNorm):
    def __init__(self, width: int):
        super().__init__(width, eps=1e-6)


class Block(nn.Module):
    def __init__(self, width: int, context: int, head_size: Optional[int], num_heads: int, scaling: int):
        super().__init__()
        self.attention = CausalSelfAttention(width, context, head_size, num_heads, masked=True)
        self.first, self.second, self.inner = nn.RMSNorm(width), nn.RMSNorm(width), FeedForward(width, scaling)

    def forward(self, x: Tensor, kv: Optional[Tensor]):
        x = x + self.attention(self.first(x), kv)[0]
        return x + self.inner(self.second(x)), kv
""",
    "",
    {
        "positional_encoding": {"form": "class"},
        "multi_head_attention": {"form": "class"},
        "feed_forward": {"form": "class"},
        "layer_norm": {"form": "class"},
        "encoder_layer": {"centred": False, "norm": "pre", "causal": True},
    },
    (
        ("sdpa-no-scale", " / self.size ** 0.5", ""),
        ("ffn-wrong-activation", "nn.ReLU()", "nn.GELU()"),
    ),
)
BY_NAME = Course(
    """
import numpy as np


class Layer:
    def __call__(self, x, **others):
        return self.forward(x, **others)


class Linear(Layer):
    def __init__(self, inputs, outputs):
        self.weight, self.bias = np.random.randn(inputs, outputs) / inputs ** 0.5, np.zeros(outputs)

    def forward(self, x):
        return x @ self.weight + self.bias


class LayerNorm(Layer):
    def __init__(self, d_model):
        self.gain, self.shift = np.ones(d_model), np.zeros(d_model)

    def forward(self, x):
        centred = x - x.mean(-1, keepdims=True)
        return self.gain * centred / np.sqrt((centred ** 2).mean(-1, keepdims=True) + 1e-5) + self.shift


class MultiHeadAttention(Layer):
    def __init__(self, d_model, num_heads):
        if d_model % num_heads:
            raise ValueError("heads do not divide the width")
        self.heads = num_heads
        self.q, self.k, self.v, self.o = (Linear(d_model, d_model) for _ in range(4))

    def split(self, x):
        return x.reshape(*x.shape[:2], self.heads, -1).swapaxes(1, 2)

    def __call__(self, query, key, value, mask):
        q, k, v = self.split(self.q(query)), self.split(self.k(key)), self.split(self.v(value))
        scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
        if mask.shape != scores.shape:
            raise ValueError("a mask for each head")
        scores = np.where(mask, scores, -1e9)
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        heads = weights / weights.sum(-1, keepdims=True) @ v
        return self.o(heads.swapaxes(1, 2).reshape(query.shape))


class FeedForward(Layer):
    def __init__(self, d_model, d_ff):
        self.up, self.down = Linear(d_model, d_ff), Linear(d_ff, d_model)

    def forward(self, x):
        return self.down(np.maximum(self.up(x), 0))


class DecoderBlock(Layer):
    def __init__(self, self_attention, cross_attention, feed_forward, width):
        self.own, self.other, self.inner = self_attention, cross_attention, feed_forward
        self.norms = [LayerNorm(width) for _ in range(3)]

    def forward(self, x, encoder_output, src_mask, tgt_mask):
        x = self.norms[0](x + self.own(x, x, x, tgt_mask))
        x = self.norms[1](x + self.other(x, encoder_output, encoder_output, src_mask))
        return self.norms[2](x + self.inner(x))
""",
    "",
    {
        "multi_head_attention": {"mask_required": True},
        "decoder_layer": {"mask_required": True},
    },
    (("sdpa-no-scale", " / np.sqrt(q.shape[-1])", ""),),
)
