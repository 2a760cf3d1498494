# misconception: trf-embed-scale-missing  component: transformer
import math
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model % num_heads")
        self.h = num_heads
        self.lq, self.lk, self.lv, self.lo = (nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, query, key, value, mask=None):
        q, k, v = (f(t).unflatten(-1, (self.h, -1)).transpose(1, 2) for f, t in ((self.lq, query), (self.lk, key), (self.lv, value)))
        s = q @ k.mT / math.sqrt(q.size(-1))
        if mask is not None:
            s = s.masked_fill(~(mask.unsqueeze(1) if mask.dim() == 3 else mask), float("-inf"))
        return self.lo((s.softmax(-1) @ v).transpose(1, 2).flatten(2))


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0):
        super().__init__()
        self.mha = MultiHeadAttention(d_model, num_heads)
        self.ffn = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))
        self.norm1, self.norm2, self.drop = nn.LayerNorm(d_model), nn.LayerNorm(d_model), nn.Dropout(dropout)

    def forward(self, x, mask=None):
        x = self.norm1(x + self.drop(self.mha(x, x, x, mask)))
        return self.norm2(x + self.drop(self.ffn(x)))


class DecoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0):
        super().__init__()
        self.mha = MultiHeadAttention(d_model, num_heads)
        self.cross_mha = MultiHeadAttention(d_model, num_heads)
        self.ffn = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))
        self.norm1, self.norm2, self.norm3 = nn.LayerNorm(d_model), nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, memory, src_mask=None, tgt_mask=None):
        x = self.norm1(x + self.drop(self.mha(x, x, x, tgt_mask)))
        x = self.norm2(x + self.drop(self.cross_mha(x, memory, memory, src_mask)))
        return self.norm3(x + self.drop(self.ffn(x)))


class InputEmbedding(nn.Module):
    def __init__(self, vocab, d_model, max_len, dropout):
        super().__init__()
        self.tokens = nn.Embedding(vocab, d_model)
        self.dropout = nn.Dropout(dropout)
        freq = torch.exp(-math.log(10000.0) * torch.arange(0, d_model, 2) / d_model)
        angle = torch.outer(torch.arange(max_len).float(), freq)
        self.register_buffer("positions", torch.stack((angle.sin(), angle.cos()), dim=-1).reshape(max_len, d_model))

    def forward(self, ids):
        return self.dropout(self.tokens(ids) + self.positions[: ids.size(1)])


class Transformer(nn.Module):
    def __init__(self, src_vocab, tgt_vocab, d_model, num_heads, num_layers, d_ff, max_len, dropout=0.0):
        super().__init__()
        self.src_in = InputEmbedding(src_vocab, d_model, max_len, dropout)
        self.tgt_in = InputEmbedding(tgt_vocab, d_model, max_len, dropout)
        self.encoder = nn.ModuleList(EncoderLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers))
        self.decoder = nn.ModuleList(DecoderLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers))
        self.generator = nn.Linear(d_model, tgt_vocab)

    def forward(self, src, tgt, src_mask=None, tgt_mask=None):
        memory = self.src_in(src)
        for layer in self.encoder:
            memory = layer(memory, src_mask)
        if tgt_mask is None:
            tgt_mask = torch.ones(tgt.size(1), tgt.size(1), dtype=torch.bool, device=tgt.device).tril()
        y = self.tgt_in(tgt)
        for layer in self.decoder:
            y = layer(y, memory, src_mask, tgt_mask)
        return self.generator(y)
