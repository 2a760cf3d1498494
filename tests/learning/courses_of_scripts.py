"""Courses whose solution is one script with sizes at its top, or is put together from outside, layer by layer."""

from __future__ import annotations

from courses import Course

SIZES = """
batch_size, width, n_heads = 8, 64, 4
d_k = d_v = width // n_heads
inner_size = 96
"""
SOLUTION = (
    """
import math
import torch
from torch import nn
"""
    + SIZES
    + """
words = sorted(set(open("corpus.txt").read().split()))
vocab_size = len(words)


class ScaledDotProductAttention(nn.Module):
    def forward(self, Q, K, V, mask):
        scores = Q @ K.transpose(-1, -2) / math.sqrt(d_k)
        weights = scores.masked_fill(mask, -1e9).softmax(-1)
        return weights @ V, weights


class MultiHeadAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.W_Q = nn.Linear(width, d_k * n_heads)
        self.W_K = nn.Linear(width, d_k * n_heads)
        self.W_V = nn.Linear(width, d_v * n_heads)
        self.last = nn.Linear(n_heads * d_v, width)

    def split(self, x, size):
        return x.view(x.size(0), -1, n_heads, size).transpose(1, 2)

    def forward(self, Q, K, V, mask):
        q, k, v = self.split(self.W_Q(Q), d_k), self.split(self.W_K(K), d_k), self.split(self.W_V(V), d_v)
        mask = mask.unsqueeze(1).repeat(1, n_heads, 1, 1)
        found, weights = ScaledDotProductAttention()(q, k, v, mask)
        return self.last(found.transpose(1, 2).reshape(Q.size(0), -1, n_heads * d_v)), weights


class PositionwiseFeedForward(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner, self.outer = nn.Linear(width, inner_size), nn.Linear(inner_size, width)

    def forward(self, x):
        return self.outer(torch.relu(self.inner(x)))


class EncoderLayer(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention, self.network = MultiHeadAttention(), PositionwiseFeedForward()
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)

    def forward(self, x, mask):
        found, weights = self.attention(x, x, x, mask)
        x = self.first(x + found)
        return self.second(x + self.network(x)), weights


model = EncoderLayer()
for epoch in range(3):
    print(model(torch.zeros(batch_size, len(words), width), None))
"""
)
GUARDED = SOLUTION.replace(SIZES, "") + '\nif __name__ == "__main__":' + SIZES.replace("\n", "\n    ")
"""The same with sizes that are set where the file is run as a script alone."""
SCRIPT = Course(
    SOLUTION,
    GUARDED,
    {
        "scaled_dot_product_attention": {"mask": "block", "mask_required": True},
        "multi_head_attention": {"mask": "block", "mask_required": True},
        "encoder_layer": {"mask": "block", "mask_required": True},
    },
    (
        ("sdpa-no-scale", " / math.sqrt(d_k)", ""),
        ("mha-merge-without-transpose", "found.transpose(1, 2).reshape", "found.reshape"),
        ("ffn-wrong-activation", "torch.relu(self.inner(x))", "torch.tanh(self.inner(x))"),
        ("enc-missing-residual", "self.second(x + self.network(x))", "self.second(self.network(x))"),
    ),
)


TOGETHER = Course(
    """
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v, self.o = (nn.Linear(width, width) for _ in range(4))

    def forward(self, value, key, query, mask):
        q, k, v = (
            of(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for of, x in ((self.q, query), (self.k, key), (self.v, value))
        )
        scores = torch.einsum("bhnd,bhmd->bhnm", q, k) / q.shape[-1] ** 0.5
        found = scores.masked_fill(mask == 0, -1e9).softmax(-1) @ v
        return self.o(found.transpose(1, 2).flatten(2))


class FeedForward(nn.Module):
    def __init__(self, width, inner):
        super().__init__()
        self.up, self.down = nn.Linear(width, inner), nn.Linear(inner, width)

    def forward(self, x):
        return self.down(self.up(x).relu())


class EncoderBlock(nn.Module):
    def __init__(self, width, heads, inner):
        super().__init__()
        self.attention, self.network = MultiHeadAttention(width, heads), FeedForward(width, inner)
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(2))

    def forward(self, value, key, query, mask):
        x = self.norms[0](query + self.attention(value, key, query, mask))
        return self.norms[1](x + self.network(x))


class DecoderBlock(nn.Module):
    def __init__(self, width, heads, inner):
        super().__init__()
        self.attention, self.network = MultiHeadAttention(width, heads), FeedForward(width, inner)
        self.across = MultiHeadAttention(width, heads)
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(3))

    def forward(self, x, value, key, src_mask, trg_mask):
        x = self.norms[0](x + self.attention(x, x, x, trg_mask))
        x = self.norms[1](x + self.across(value, key, x, src_mask))
        return self.norms[2](x + self.network(x))


class Encoder(nn.Module):
    def __init__(self, blocks):
        super().__init__()
        self.blocks = blocks

    def forward(self, x, mask):
        for block in self.blocks:
            x = block(x, x, x, mask)
        return x


class Decoder(nn.Module):
    def __init__(self, blocks):
        super().__init__()
        self.blocks = blocks

    def forward(self, x, memory, src_mask, trg_mask):
        for block in self.blocks:
            x = block(x, memory, memory, src_mask, trg_mask)
        return x


class Transformer(nn.Module):
    def __init__(self, encoder, decoder, tables, words, places):
        super().__init__()
        self.encoder, self.decoder, self.words = encoder, decoder, words
        self.tables = nn.ModuleList(tables)
        self.register_buffer("places", places)

    def entered(self, table, ids):
        return table(ids) * table.embedding_dim**0.5 + self.places[: ids.shape[1]].to(table.weight.dtype)

    def encode(self, source, source_mask):
        return self.encoder(self.entered(self.tables[0], source), source_mask)

    def decode(self, memory, source_mask, target, target_mask):
        return self.decoder(self.entered(self.tables[1], target), memory, source_mask, target_mask)

    def project(self, x):
        return self.words(x)


def build_transformer(src_vocab, trg_vocab, longest_sequence, width, depth, heads, inner):
    at = torch.arange(longest_sequence)[:, None] / 10000 ** (torch.arange(0, width, 2) / width)
    places = torch.stack((at.sin(), at.cos()), -1).flatten(1)
    encoder = Encoder(nn.ModuleList(EncoderBlock(width, heads, inner) for _ in range(depth)))
    decoder = Decoder(nn.ModuleList(DecoderBlock(width, heads, inner) for _ in range(depth)))
    tables = [nn.Embedding(size, width) for size in (src_vocab, trg_vocab)]
    return Transformer(encoder, decoder, tables, nn.Linear(width, trg_vocab), places)
""",
    "",
    {
        "encoder_layer": {"mask_required": True},
        "decoder": {"mask_required": True},
        "transformer": {"mask_required": True},
    },
    (
        ("mha-scale-by-d-model", "q.shape[-1] ** 0.5", "query.shape[-1] ** 0.5"),
        ("enc-missing-residual", "self.norms[1](x + self.network(x))", "self.norms[1](self.network(x))"),
        ("dec-missing-residual", "self.norms[2](x + self.network(x))", "self.norms[2](self.network(x))"),
        ("trf-embed-scale-missing", "table(ids) * table.embedding_dim**0.5", "table(ids)"),
    ),
)
