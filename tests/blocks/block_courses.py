"""Modules in the styles of the field, as courses hand them out."""

from __future__ import annotations

HEAD = "import math\nimport torch\nfrom torch import nn\nimport torch.nn.functional as F\n"
FUSED = """
class SelfAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        assert config.n_embd % config.n_head == 0
        self.c_attn, self.c_proj = nn.Linear(config.n_embd, 3 * config.n_embd), nn.Linear(config.n_embd, config.n_embd)
        self.n_head = config.n_head
        past = torch.ones(config.block_size, config.block_size).tril()
        self.register_buffer("past", past.view(1, 1, config.block_size, -1))

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = (y.view(b, t, self.n_head, -1).transpose(1, 2) for y in self.c_attn(x).split(c, dim=2))
        att = q @ k.transpose(-2, -1) / math.sqrt(k.size(-1))
        att = att.masked_fill(self.past[:, :, :t, :t] == 0, float("-inf")).softmax(-1)
        return self.c_proj((att @ v).transpose(1, 2).reshape(b, t, c))


class EncoderLayer(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.ln_1, self.ln_2 = nn.LayerNorm(config.n_embd), nn.LayerNorm(config.n_embd)
        self.attn = SelfAttention(config)
        self.up, self.down = nn.Linear(config.n_embd, 4 * config.n_embd), nn.Linear(4 * config.n_embd, config.n_embd)

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.down(F.gelu(self.up(self.ln_2(x)), approximate="tanh"))


MultiHeadAttention = SelfAttention
"""
NORMS_IN_FRONT = """
class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.all = heads, nn.ModuleList(nn.Linear(width, width) for _ in range(4))

    def forward(self, x, context, mask=None):
        given = zip(self.all, (x, context, context))
        q, k, v = (one(y).unflatten(-1, (self.heads, -1)).transpose(1, 2) for one, y in given)
        s = q @ k.mT / q.shape[-1] ** 0.5
        if mask is not None:
            s = s.masked_fill(~(mask.unsqueeze(1) if mask.ndim == 3 else mask), float("-inf"))
        return self.all[3]((s.softmax(-1) @ v).transpose(1, 2).flatten(2))


class DecoderLayer(nn.Module):
    def __init__(self, width, heads, inner):
        super().__init__()
        self.one, self.two, self.three = (nn.LayerNorm(width) for _ in range(3))
        self.own, self.cross = Attention(width, heads), Attention(width, heads)
        self.up, self.down = nn.Linear(width, inner), nn.Linear(inner, width)

    def forward(self, x, memory, tgt_mask=None, src_mask=None):
        h = self.one(x)
        x = x + self.own(h, h, tgt_mask)
        x = x + self.cross(self.two(x), memory, src_mask)
        return x + self.down(F.relu(self.up(self.three(x))))
"""
GPT = {"config": {"n_embd": "d_model", "n_head": "num_heads", "block_size": 256}, "causal": True}
NORM = """
class LayerNorm(nn.Module):
    def __init__(self, features, eps=1e-6):
        super().__init__()
        self.a, self.b, self.eps = nn.Parameter(torch.ones(features)), nn.Parameter(torch.zeros(features)), eps

    def forward(self, x):
        return self.a * (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + self.eps) + self.b


class AddNorm(nn.Module):
    def __init__(self, size, dropout):
        super().__init__()
        self.norm, self.dropout = LayerNorm(size), nn.Dropout(dropout)

    def forward(self, x, sublayer):
        return x + self.dropout(sublayer(self.norm(x)))
"""
TIME_FIRST = """
class EncoderLayer(nn.Module):
    def __init__(self, d_model, nhead, d_ff, dropout):
        super().__init__()
        self.h, self.inp, self.out = nhead, nn.Linear(d_model, 3 * d_model), nn.Linear(d_model, d_model)
        self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.norm1, self.norm2, self.drop = nn.LayerNorm(d_model), nn.LayerNorm(d_model), nn.Dropout(dropout)

    def attend(self, x, mask):
        t, b, e = x.shape
        q, k, v = (y.reshape(t, b * self.h, e // self.h).transpose(0, 1) for y in self.inp(x).chunk(3, dim=-1))
        w = torch.baddbmm(mask.expand(b * self.h, t, t), q, k.transpose(1, 2), alpha=(e // self.h) ** -0.5).softmax(-1)
        return self.out((w @ v).transpose(0, 1).reshape(t, b, e))

    def forward(self, x, mask):
        x = self.norm1(x + self.drop(self.attend(x, mask)))
        return self.norm2(x + self.drop(self.linear2(F.relu(self.linear1(x)))))
"""
KEYS = """
class MultiHeadAttention(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        self.heads, self.size = heads, hidden // heads
        self.key, self.value, self.query, self.dense = (nn.Linear(hidden, hidden) for _ in range(4))

    def forward(self, hidden_states, attention_mask):
        k, v, q = (f(hidden_states).unflatten(-1, (self.heads, self.size)).permute(0, 2, 1, 3)
                   for f in (self.key, self.value, self.query))
        scores = torch.matmul(q, k.transpose(-1, -2)) / self.size ** 0.5
        scores = scores + (1.0 - attention_mask[:, None, None, :].to(scores.dtype)) * -10000.0
        return self.dense(torch.matmul(scores.softmax(-1), v).permute(0, 2, 1, 3).flatten(2)), scores.softmax(-1)


class PositionwiseFeedForward(nn.Module):
    def __init__(self, hidden, inner):
        super().__init__()
        self.up, self.down = nn.Linear(hidden, inner), nn.Linear(inner, hidden)

    def forward(self, x):
        return self.down(F.gelu(self.up(x)))
"""
ROOT_MEAN_SQUARE = """
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5, device=None, dtype=None):
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(d_model, device=device, dtype=dtype)), eps

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * self.weight


class PositionwiseFeedForward(nn.Module):
    def __init__(self, d_model, d_ff, device=None):
        super().__init__()
        self.w1 = nn.Parameter(torch.randn(d_ff, d_model, device=device))
        self.w2 = nn.Parameter(torch.randn(d_model, d_ff, device=device))

    def forward(self, x):
        h = torch.einsum("...i,oi->...o", x, self.w1)
        return torch.einsum("...i,oi->...o", h * torch.sigmoid(h), self.w2)
"""
BY_LETTERS = """
class MultiHeadAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        w = dim ** -0.5
        self.qkv = nn.Parameter(w * torch.randn(3, heads, dim, dim // heads))
        self.proj = nn.Parameter(w * torch.randn(heads, dim // heads, dim))

    def forward(self, x, mask=None):
        q, k, v = torch.einsum("bnd,phde->pbhne", x, self.qkv)
        dots = torch.einsum("bhie,bhje->bhij", q, k) * q.shape[-1] ** -0.5
        if mask is not None:
            dots = dots.masked_fill(mask[:, None], -torch.finfo(dots.dtype).max)
        return torch.einsum("bhij,bhje,hed->bid", dots.softmax(-1), v, self.proj)
"""
GATED = """
class PositionwiseFeedForward(nn.Module):
    def __init__(self, dim, wide):
        super().__init__()
        self.w1, self.w3 = nn.Linear(dim, wide, bias=False), nn.Linear(dim, wide, bias=False)
        self.w2 = nn.Linear(wide, dim, bias=False)

    def forward(self, x):
        return self.w2(F.silu(self.w1(x)) * self.w3(x))
"""
CAUSAL = """
class MultiHeadAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads, self.qkv, self.proj = heads, nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)

    def forward(self, x):
        b, n, d = x.shape
        q, k, v = (y.unflatten(-1, (self.heads, -1)).transpose(1, 2) for y in self.qkv(x).chunk(3, dim=-1))
        att = q @ k.mT / (d // self.heads) ** 0.5
        att = att.masked_fill(torch.ones(n, n, dtype=torch.bool).triu(1), -torch.inf)
        return self.proj((att.softmax(-1) @ v).transpose(1, 2).flatten(2))
"""
RESIDUAL_INSIDE = """
class MultiHeadAttention(nn.Module):
    def __init__(self, n_head, d_model, d_k, d_v):
        super().__init__()
        self.n_head, self.d_k, self.d_v = n_head, d_k, d_v
        self.w_qs, self.w_ks = (nn.Linear(d_model, n_head * d_k, bias=False) for _ in range(2))
        self.w_vs, self.fc = nn.Linear(d_model, n_head * d_v, bias=False), nn.Linear(n_head * d_v, d_model, bias=False)
        self.layer_norm = nn.LayerNorm(d_model, eps=1e-6)

    def forward(self, q, k, v, mask=None):
        b, left = q.size(0), q
        q, k = (f(x).view(b, -1, self.n_head, self.d_k).transpose(1, 2) for f, x in ((self.w_qs, q), (self.w_ks, k)))
        v = self.w_vs(v).view(b, -1, self.n_head, self.d_v).transpose(1, 2)
        attn = torch.matmul(q / self.d_k ** 0.5, k.transpose(2, 3))
        if mask is not None:
            attn = attn.masked_fill(mask.unsqueeze(1) == 0, -1e9)
        out = self.fc(torch.matmul(attn.softmax(-1), v).transpose(1, 2).reshape(left.shape))
        return self.layer_norm(out + left), attn
"""
NORM_INSIDE = """
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, heads, rate):
        super().__init__()
        self.attend, self.first = nn.MultiheadAttention(d_model, heads, batch_first=True), nn.LayerNorm(d_model)
        self.drop = nn.Dropout(rate)

    def forward(self, x):
        z = self.first(x)
        return x + self.drop(self.attend(z, z, z, need_weights=False)[0])
"""
THINK = """
class PositionwiseFeedForward(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.one, self.two, self.first = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model), nn.LayerNorm(d_model)

    def forward(self, x):
        return x + self.two(self.one(self.first(x)).relu())
"""
POSITIONS = """
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, dropout, max_len=5000):
        super().__init__()
        self.dropout, pe = nn.Dropout(dropout), torch.zeros(max_len, d_model)
        position = torch.arange(0, max_len).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, d_model, 2) * -(math.log(10000.0) / d_model))
        pe[:, 0::2], pe[:, 1::2] = torch.sin(position * div_term), torch.cos(position * div_term)
        self.register_buffer("pe", pe.unsqueeze(1))

    def forward(self, x):
        return self.dropout(x + self.pe[: x.size(0)])
"""
BEFORE = """
        x = x + self.attn(self.ln_1(x))
        return x + self.down(F.gelu(self.up(self.ln_2(x)), approximate="tanh"))"""
AFTER = """
        x = self.ln_1(x + self.attn(x))
        return self.ln_2(x + self.down(F.gelu(self.up(x), approximate="tanh")))"""
