"""Three more courses: functions that tests call by name, a language model, and stacks that embed ids themselves."""

from __future__ import annotations

from courses import Course

FUNCTIONS = Course(
    """
import torch
from torch.nn.functional import linear


def run_softmax(in_features, dim):
    powers = (in_features - in_features.amax(dim, keepdim=True)).exp()
    return powers / powers.sum(dim, keepdim=True)


def run_scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ K.transpose(-1, -2) * Q.shape[-1] ** -0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    return run_softmax(scores, -1) @ V


def run_multihead_self_attention(
    d_model, num_heads, q_proj_weight, k_proj_weight, v_proj_weight, o_proj_weight, in_features
):
    n = in_features.shape[-2]
    split = (num_heads, d_model // num_heads)
    projected = [linear(in_features, w) for w in (q_proj_weight, k_proj_weight, v_proj_weight)]
    q, k, v = (array.unflatten(-1, split).transpose(-2, -3) for array in projected)
    past = torch.ones(n, n, dtype=torch.bool).tril()
    read = run_scaled_dot_product_attention(q, k, v, past)
    return linear(read.transpose(-2, -3).flatten(-2), o_proj_weight)


def run_rmsnorm(d_model, eps, weights, in_features):
    size = in_features.pow(2).mean(-1, keepdim=True)
    return weights * in_features / torch.sqrt(size + eps)


def run_embedding(vocab_size, d_model, weights, token_ids):
    return weights[token_ids]
""",
    """
import math
import torch


def run_softmax(in_features, dim):
    return torch.softmax(in_features, dim)


def run_scaled_dot_product_attention(Q, K, V, mask=None):
    s = torch.einsum("...id,...jd->...ij", Q, K) / math.sqrt(Q.size(-1))
    s = s if mask is None else torch.where(mask, s, torch.tensor(-1e9, dtype=s.dtype))
    return torch.einsum("...ij,...jd->...id", s.softmax(-1), V)


def run_multihead_self_attention(
    d_model, num_heads, q_proj_weight, k_proj_weight, v_proj_weight, o_proj_weight, in_features
):
    heads, d_k, x = [], d_model // num_heads, in_features
    for at in range(num_heads):
        rows = slice(at * d_k, (at + 1) * d_k)
        q, k, v = (x @ w[rows].T for w in (q_proj_weight, k_proj_weight, v_proj_weight))
        later = torch.full((x.shape[-2],) * 2, float("-inf"), dtype=x.dtype).triu(1)
        heads.append(torch.softmax(q @ k.transpose(-1, -2) / math.sqrt(d_k) + later, -1) @ v)
    return torch.cat(heads, -1) @ o_proj_weight.T


def run_rmsnorm(d_model, eps, weights, in_features):
    return in_features * torch.rsqrt((in_features * in_features).sum(-1, keepdim=True) / d_model + eps) * weights


def run_embedding(vocab_size, d_model, weights, token_ids):
    return torch.nn.functional.embedding(token_ids, weights)
""",
    {
        "multi_head_attention": {"attends_to": "itself", "causal": True, "matrices": "out_in"},
        "layer_norm": {"centred": False, "affine": "gain"},
        "token_embedding": {"embedding_scale": "none"},
    },
    (
        ("course-causal-no", "dtype=torch.bool).tril()", "dtype=torch.bool)"),
        ("mha-weights-transposed", "linear(in_features, w) for w in", "in_features @ w for w in"),
        ("course-centred-yes", "    size = in",
         "    in_features = in_features - in_features.mean(-1, keepdim=True)\n    size = in"),
        ("softmax-over-everything", "powers.sum(dim, keepdim=True)", "powers.sum()"),
    ),
)  # fmt: skip

LANGUAGE = Course(
    """
import torch
from torch import nn
from torch.nn import functional as F


class SelfAttention(nn.Module):
    def __init__(self, emb, heads, ctx):
        super().__init__()
        assert emb % heads == 0
        self.heads = heads
        self.qkv, self.out = nn.Linear(emb, 3 * emb), nn.Linear(emb, emb)
        self.register_buffer("past", torch.ones(ctx, ctx).tril().bool())

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = (p.reshape(b, t, self.heads, -1).transpose(1, 2) for p in self.qkv(x).chunk(3, dim=-1))
        scores = q @ k.transpose(-2, -1) / q.size(-1) ** 0.5
        scores = scores.masked_fill(~self.past[:t, :t], float("-inf"))
        return self.out((scores.softmax(-1) @ v).transpose(1, 2).reshape(b, t, c))


class Block(nn.Module):
    def __init__(self, emb, heads, ctx):
        super().__init__()
        self.one, self.two = nn.LayerNorm(emb), nn.LayerNorm(emb)
        self.attention = SelfAttention(emb, heads, ctx)
        self.up, self.down = nn.Linear(emb, 4 * emb), nn.Linear(4 * emb, emb)

    def forward(self, x):
        x = x + self.attention(self.one(x))
        return x + self.down(F.gelu(self.up(self.two(x))))


class TinyGPT(nn.Module):
    def __init__(self, vocab_size, emb, heads, n_layers, ctx):
        super().__init__()
        self.words, self.places = nn.Embedding(vocab_size, emb), nn.Embedding(ctx, emb)
        self.blocks = nn.ModuleList([Block(emb, heads, ctx) for _ in range(n_layers)])
        self.last, self.head = nn.LayerNorm(emb), nn.Linear(emb, vocab_size, bias=False)

    def forward(self, idx, targets=None):
        x = self.words(idx) + self.places(torch.arange(idx.shape[1], device=idx.device))
        for block in self.blocks:
            x = block(x)
        if targets is None:
            return self.head(self.last(x)[:, [-1]]), None
        logits = self.head(self.last(x))
        return logits, F.cross_entropy(logits.flatten(0, 1), targets.flatten())
""",
    """
import torch
import torch.nn as nn


class Head(nn.Module):
    def __init__(self, emb, size):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(emb, size) for _ in range(3))

    def forward(self, x):
        s = self.q(x) @ self.k(x).mT / self.q.out_features ** 0.5
        later = torch.full((x.shape[1],) * 2, float("-inf"), dtype=x.dtype, device=x.device).triu(1)
        return torch.softmax(s + later, dim=-1) @ self.v(x)


class SelfAttention(nn.Module):
    def __init__(self, emb, heads, ctx):
        super().__init__()
        assert emb % heads == 0
        self.parts = nn.ModuleList([Head(emb, emb // heads) for _ in range(heads)])
        self.proj = nn.Linear(emb, emb)

    def forward(self, x):
        return self.proj(torch.cat([part(x) for part in self.parts], dim=-1))


class Block(nn.Module):
    def __init__(self, emb, heads, ctx):
        super().__init__()
        self.attn, self.n1, self.n2 = SelfAttention(emb, heads, ctx), nn.LayerNorm(emb), nn.LayerNorm(emb)
        self.net = nn.Sequential(nn.Linear(emb, 4 * emb), nn.GELU(), nn.Linear(4 * emb, emb))

    def forward(self, x):
        y = self.attn(self.n1(x)) + x
        return self.net(self.n2(y)) + y


class TinyGPT(nn.Module):
    def __init__(self, vocab_size, emb, heads, n_layers, ctx):
        super().__init__()
        self.tok = nn.Embedding(vocab_size, emb)
        self.pos = nn.Parameter(torch.randn(1, ctx, emb))
        self.net = nn.Sequential(*[Block(emb, heads, ctx) for _ in range(n_layers)], nn.LayerNorm(emb))
        self.out = nn.Linear(emb, vocab_size, bias=False)

    def forward(self, idx, targets=None):
        return self.out(self.net(self.tok(idx) + self.pos[:, : idx.shape[1]]))
""",
    {
        "multi_head_attention": {"causal": True},
        "encoder_layer": {"causal": True, "norm": "pre", "activation": "gelu"},
        "language_model": {"norm": "pre", "last_norm": True, "activation": "gelu", "embedding_scale": "none"},
    },
    (
        ("trf-no-positional-encoding", " + self.places(torch.arange(idx.shape[1], device=idx.device))", ""),
        ("course-causal-no", '        scores = scores.masked_fill(~self.past[:t, :t], float("-inf"))\n', ""),
        ("enc-missing-residual", "return x + self.down(", "return self.down("),
        ("course-last-norm-no", "logits = self.head(self.last(x))", "logits = self.head(x)"),
        ("trf-returns-probabilities", "logits = self.head(self.last(x))",
         "logits = self.head(self.last(x)).softmax(-1)"),
    ),
)  # fmt: skip

STACKS = Course(
    """
import math
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, n_heads):
        super().__init__()
        assert hidden_dim % n_heads == 0
        self.h = n_heads
        self.q, self.k, self.v, self.o = (nn.Linear(hidden_dim, hidden_dim) for _ in range(4))

    def forward(self, query, key, value, mask=None):
        b, n, d = query.shape
        q, k, v = (f(x).reshape(b, -1, self.h, d // self.h).transpose(1, 2)
                   for f, x in ((self.q, query), (self.k, key), (self.v, value)))
        scores = q @ k.transpose(-2, -1) / math.sqrt(d // self.h)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, float("-inf"))
        return self.o((scores.softmax(-1) @ v).transpose(1, 2).reshape(b, n, d))


class AddNorm(nn.Module):
    def __init__(self, hidden_dim, dropout):
        super().__init__()
        self.norm, self.drop = nn.LayerNorm(hidden_dim), nn.Dropout(dropout)

    def forward(self, x, y):
        return self.norm(x + self.drop(y))


class EncoderLayer(nn.Module):
    def __init__(self, hidden_dim, n_heads, expand_dim, dropout):
        super().__init__()
        self.attention, self.one = MultiHeadAttention(hidden_dim, n_heads), AddNorm(hidden_dim, dropout)
        self.up, self.down = nn.Linear(hidden_dim, expand_dim), nn.Linear(expand_dim, hidden_dim)
        self.two = AddNorm(hidden_dim, dropout)

    def forward(self, src, src_mask):
        src = self.one(src, self.attention(src, src, src, src_mask))
        return self.two(src, self.down(torch.relu(self.up(src))))


class Encoder(nn.Module):
    def __init__(self, input_vocab_size, hidden_dim, n_layers, n_heads, expand_dim, dropout, max_length):
        super().__init__()
        self.words = nn.Embedding(input_vocab_size, hidden_dim)
        places = torch.arange(max_length)[:, None] / 10000 ** (torch.arange(0, hidden_dim, 2) / hidden_dim)
        self.register_buffer("table", torch.stack([places.sin(), places.cos()], dim=-1).flatten(1))
        self.layers = nn.ModuleList([EncoderLayer(hidden_dim, n_heads, expand_dim, dropout) for _ in range(n_layers)])
        self.drop, self.scale = nn.Dropout(dropout), math.sqrt(hidden_dim)

    def forward(self, src, src_mask):
        x = self.drop(self.words(src) * self.scale + self.table[: src.shape[1]])
        for layer in self.layers:
            x = layer(x, src_mask)
        return x


def create_padding_mask(seq, pad_idx):
    return (seq != pad_idx)[:, None, None]


def get_subsequent_mask(seq):
    return torch.ones(1, seq.shape[1], seq.shape[1], dtype=torch.bool).tril()


def greedy_decode(model, src, src_mask, max_len, start_symbol):
    memory = model.encode(src, src_mask)
    ys = torch.full((1, 1), start_symbol)
    for _ in range(max_len - 1):
        out = model.decode(memory, src_mask, ys, get_subsequent_mask(ys))
        word = model.generator(out[:, -1]).argmax(-1)
        ys = torch.cat([ys, word[None]], dim=1)
    return ys
""",
    "",
    {
        "add_norm": {"constructor": ["d_model", "dropout"]},
        "encoder": {"constructor": ["src_vocab", "d_model", "num_layers", "num_heads", "d_ff", "dropout", "max_len"]},
        "causal_mask": {"mask_axes": 3},
        "padding_mask": {"mask_axes": 4},
        "greedy_decode": {"ends": "room"},
    },
    (
        ("trf-no-positional-encoding", " + self.table[: src.shape[1]]", ""),
        ("trf-embed-scale-missing", "self.words(src) * self.scale", "self.words(src)"),
        ("enc-missing-residual", "self.norm(x + self.drop(y))", "self.norm(self.drop(y))"),
        ("greedy-takes-the-worst", ".argmax(-1)", ".argmin(-1)"),
    ),
)  # fmt: skip
