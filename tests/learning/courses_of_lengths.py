"""A course whose attention is told how many keys are real and the widths of what it projects, W^O apart from it."""

from __future__ import annotations

from courses import Course

LENGTHS = Course(
    """
import torch
from torch import nn


def weights_of(scores, lens):
    if lens is not None:
        lens = lens[:, None] if lens.dim() == 1 else lens
        real = torch.arange(scores.shape[-1], device=lens.device) < lens[..., None]
        scores = torch.where(real[:, None], scores, -1e6)
    return scores.softmax(-1)


class MultiHeadAttention(nn.Module):
    def __init__(self, query_size, key_size, value_size, hidden_size, num_heads, dropout):
        super().__init__()
        self.num_heads, self.drop = num_heads, nn.Dropout(dropout)
        self.to_q = nn.Linear(query_size, hidden_size, bias=False)
        self.to_k = nn.Linear(key_size, hidden_size, bias=False)
        self.to_v = nn.Linear(value_size, hidden_size, bias=False)

    def heads(self, x):
        return x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def forward(self, queries, keys, values, valid_lens):
        q, k, v = self.heads(self.to_q(queries)), self.heads(self.to_k(keys)), self.heads(self.to_v(values))
        weights = weights_of(q @ k.mT / q.shape[-1] ** 0.5, valid_lens)
        return (self.drop(weights) @ v).transpose(1, 2).flatten(2)


class Mixing(nn.Module):
    def __init__(self, size, num_heads, dropout):
        super().__init__()
        self.attend = MultiHeadAttention(size, size, size, size, num_heads, dropout)
        self.out = nn.Linear(size, size, bias=False)

    def forward(self, x, valid_lens):
        return self.out(self.attend(x, x, x, valid_lens))


class FFN(nn.Module):
    def __init__(self, ffn_inputs, ffn_hiddens, ffn_outputs):
        super().__init__()
        self.first, self.second = nn.Linear(ffn_inputs, ffn_hiddens), nn.Linear(ffn_hiddens, ffn_outputs)

    def forward(self, x):
        return self.second(self.first(x).relu())


class EncoderBlock(nn.Module):
    def __init__(
        self, query_size, key_size, value_size, hidden_size, norm_shape, ffn_inputs, ffn_hiddens, num_heads, dropout
    ):
        super().__init__()
        self.attend = Mixing(hidden_size, num_heads, dropout)
        self.ffn = FFN(ffn_inputs, ffn_hiddens, hidden_size)
        self.norm1, self.norm2 = nn.LayerNorm(norm_shape), nn.LayerNorm(norm_shape)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, valid_lens):
        x = self.norm1(x + self.drop(self.attend(x, valid_lens)))
        return self.norm2(x + self.drop(self.ffn(x)))
""",
    "",
    {
        "multi_head_attention": {"mask": "lengths", "mask_shapes": ["(b)", "(b, n)"], "output_projection": False},
        "encoder_layer": {"mask": "lengths", "mask_required": True},
    },
    (
        ("sdpa-mask-polarity-inverted", "[..., None]\n", "[..., None]\n        real = ~real\n"),
        ("sdpa-mask-off-by-one", "device=lens.device) <", "device=lens.device) <="),
        ("sdpa-ignores-mask", "scores = torch.where", "torch.where"),
        ("mha-merge-without-transpose", "@ v).transpose(1, 2).flatten(2)", "@ v).reshape(*queries.shape)"),
        ("enc-missing-residual", "self.norm1(x + self.drop(", "self.norm1(self.drop("),
    ),
)
