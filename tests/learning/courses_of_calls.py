"""A course whose calls are told whether they train; its model hides padding itself, and names are of several words."""

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
