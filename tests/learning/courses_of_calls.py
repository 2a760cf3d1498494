"""Two courses more: one whose calls are told whether they train, and one of gates and rotary positions."""

from __future__ import annotations

from courses import Course

TOLD = Course(
    """
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, attention_heads, embedding_width):
        super().__init__()
        if embedding_width % attention_heads:
            raise ValueError("the heads have to divide the width")
        self.heads = attention_heads
        self.projections = nn.ModuleList(nn.Linear(embedding_width, embedding_width) for _ in range(4))

    def forward(self, q, k, v, blocked, training):
        split = [f(x).unflatten(-1, (self.heads, -1)).transpose(1, 2) for f, x in zip(self.projections, (q, k, v))]
        scores = split[0] @ split[1].transpose(-1, -2) / split[0].shape[-1] ** 0.5
        if blocked is not None:
            scores = scores.masked_fill(blocked, float("-inf"))
        read = torch.softmax(scores, -1) @ split[2]
        return self.projections[3](read.transpose(1, 2).flatten(2))


class EncoderLayer(nn.Module):
    def __init__(self, attention_heads, embedding_width, drop_prob):
        super().__init__()
        self.attention = MultiHeadAttention(attention_heads, embedding_width)
        self.inner = nn.Linear(embedding_width, 2 * embedding_width)
        self.outer = nn.Linear(2 * embedding_width, embedding_width)
        self.norms = nn.ModuleList(nn.LayerNorm(embedding_width) for _ in range(2))
        self.drop = nn.Dropout(drop_prob)

    def forward(self, inputs, training, mask_of_padding):
        read = self.attention(inputs, inputs, inputs, mask_of_padding, training)
        x = self.norms[0](inputs + self.drop(read))
        return self.norms[1](x + self.drop(self.outer(self.inner(x).relu())))


class DecoderLayer(nn.Module):
    def __init__(self, attention_heads, embedding_width, drop_prob):
        super().__init__()
        self.attentions = nn.ModuleList(MultiHeadAttention(attention_heads, embedding_width) for _ in range(2))
        self.inner = nn.Linear(embedding_width, 2 * embedding_width)
        self.outer = nn.Linear(2 * embedding_width, embedding_width)
        self.norms = nn.ModuleList(nn.LayerNorm(embedding_width) for _ in range(3))
        self.drop = nn.Dropout(drop_prob)

    def forward(self, x, encoder_out=None, training=False, look_ahead_of_words_mask=None, pad_of_source_mask=None):
        read = self.attentions[0](x, x, x, look_ahead_of_words_mask, training)
        x = self.norms[0](x + self.drop(read))
        read = self.attentions[1](x, encoder_out, encoder_out, pad_of_source_mask, training)
        x = self.norms[1](x + self.drop(read))
        return self.norms[2](x + self.drop(self.outer(self.inner(x).relu())))


def places(width, longest):
    at = torch.arange(longest)[:, None] / 10000 ** (torch.arange(0, width, 2) / width)
    return torch.stack((at.sin(), at.cos()), -1).flatten(1)


class Transformer(nn.Module):
    def __init__(
        self,
        pad_in_source,
        pad_in_target,
        vocabulary_of_source,
        vocabulary_of_target,
        embedding_width,
        attention_heads,
        blocks_in_encoder,
        blocks_in_decoder,
        longest_sequence,
        drop_prob,
    ):
        super().__init__()
        self.pads, self.factor = (pad_in_source, pad_in_target), embedding_width**0.5
        self.source = nn.Embedding(vocabulary_of_source, embedding_width)
        self.target = nn.Embedding(vocabulary_of_target, embedding_width)
        self.register_buffer("places", places(embedding_width, longest_sequence))
        given = (attention_heads, embedding_width, drop_prob)
        self.encoder = nn.ModuleList(EncoderLayer(*given) for _ in range(blocks_in_encoder))
        self.decoder = nn.ModuleList(DecoderLayer(*given) for _ in range(blocks_in_decoder))
        self.drop = nn.Dropout(drop_prob)
        self.words = nn.Linear(embedding_width, vocabulary_of_target)

    def entered(self, table, ids):
        return self.drop(table(ids) * self.factor + self.places[: ids.shape[1]].to(table.weight.dtype))

    def forward(self, source_ids, target_ids, training):
        hidden = (source_ids == self.pads[0])[:, None, None]
        later = torch.ones_like(target_ids[0])[:, None].bool().expand(-1, target_ids.shape[1]).triu(1)
        unseen = later | (target_ids == self.pads[1])[:, None, None]
        x, y = self.entered(self.source, source_ids), self.entered(self.target, target_ids)
        for layer in self.encoder:
            x = layer(x, training, hidden)
        for layer in self.decoder:
            y = layer(y, x, training, unseen, hidden)
        return self.words(y)
""",
    "",
    {
        "encoder_layer": {"mask": "block", "sizes": {"d_ff": 60}},
        "decoder_layer": {"mask": "block"},
        "transformer": {"pad_id": 0},
    },
    (
        ("sdpa-no-scale", " / split[0].shape[-1] ** 0.5", ""),
        ("pe-sin-cos-swapped", "at.sin(), at.cos()", "at.cos(), at.sin()"),
        ("trf-embed-scale-missing", "table(ids) * self.factor", "table(ids)"),
        ("ffn-missing-activation", "self.outer(self.inner(x).relu())", "self.outer(self.inner(x))"),
    ),
)


ROTARY = Course(
    """
from dataclasses import dataclass
import torch
from torch import nn


@dataclass
class ModelConfig:
    d_vocab: int
    d_hidden: int
    n_q_heads: int
    d_mlp: int
    n_blocks: int
    ctx_size: int


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.gain, self.eps = nn.Parameter(torch.ones(width)), eps

    def forward(self, x):
        return self.gain * x * torch.rsqrt(x.square().mean(-1, keepdim=True) + self.eps)


class MLP(nn.Module):
    def __init__(self, cfg: ModelConfig):
        super().__init__()
        self.gate = nn.Linear(cfg.d_hidden, cfg.d_mlp, bias=False)
        self.up = nn.Linear(cfg.d_hidden, cfg.d_mlp, bias=False)
        self.down = nn.Linear(cfg.d_mlp, cfg.d_hidden, bias=False)

    def forward(self, x):
        return self.down(self.up(x) * nn.functional.silu(self.gate(x)))


def turn(x):
    n, width = x.shape[-2:]
    speeds = 10000.0 ** (-torch.arange(0, width, 2, dtype=x.dtype) / width)
    angles = torch.arange(n, dtype=x.dtype)[:, None] * speeds
    even, odd = x[..., 0::2], x[..., 1::2]
    pairs = (even * angles.cos() - odd * angles.sin(), even * angles.sin() + odd * angles.cos())
    return torch.stack(pairs, -1).flatten(-2)


class CausalSelfAttention(nn.Module):
    def __init__(self, cfg: ModelConfig):
        super().__init__()
        if cfg.d_hidden % cfg.n_q_heads:
            raise ValueError("heads do not divide the width")
        self.heads = cfg.n_q_heads
        self.qkv = nn.Linear(cfg.d_hidden, 3 * cfg.d_hidden, bias=False)
        self.out = nn.Linear(cfg.d_hidden, cfg.d_hidden, bias=False)

    def forward(self, x):
        q, k, v = (part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in self.qkv(x).chunk(3, -1))
        scores = turn(q) @ turn(k).transpose(-1, -2) / q.shape[-1] ** 0.5
        later = torch.ones_like(scores[0, 0]).triu(1).bool()
        read = scores.masked_fill(later, float("-inf")).softmax(-1) @ v
        return self.out(read.transpose(1, 2).flatten(2))


class Block(nn.Module):
    def __init__(self, cfg: ModelConfig):
        super().__init__()
        self.norm1, self.norm2 = RMSNorm(cfg.d_hidden), RMSNorm(cfg.d_hidden)
        self.attention, self.mlp = CausalSelfAttention(cfg), MLP(cfg)

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class GPT(nn.Module):
    def __init__(self, cfg: ModelConfig):
        super().__init__()
        self.table = nn.Embedding(cfg.d_vocab, cfg.d_hidden)
        self.blocks = nn.ModuleList(Block(cfg) for _ in range(cfg.n_blocks))
        self.norm = RMSNorm(cfg.d_hidden)
        self.head = nn.Linear(cfg.d_hidden, cfg.d_vocab, bias=False)

    def forward(self, idx):
        x = self.table(idx)
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))
""",
    "",
    {
        "feed_forward": {"gated": True, "activation": "silu"},
        "layer_norm": {"centred": False, "affine": "gain"},
        "multi_head_attention": {"rotary": "interleaved", "causal": True},
        "encoder_layer": {"rotary": "interleaved", "gated": True, "norm": "pre"},
        "language_model": {"rotary": "interleaved", "gated": True},
    },
    (
        ("sdpa-no-scale", " / q.shape[-1] ** 0.5", ""),
        ("course-gated-no", "self.up(x) * nn.functional.silu(self.gate(x))", "nn.functional.silu(self.gate(x))"),
        ("course-rotary-none", "turn(q) @ turn(k).transpose", "q @ k.transpose"),
        ("course-activation-gelu", "functional.silu", "functional.gelu"),
    ),
)
