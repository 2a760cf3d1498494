"""Three courses with conventions of their own: a solution, a right hand-in in another style, and wrong ones."""

from __future__ import annotations

from dataclasses import dataclass

HEAD = "import numpy as np\n\n\n"
MATRICES = HEAD + "def softmax(x):\n    e = np.exp(x - x.max(1)[:, None])\n    return e / e.sum(1)[:, None]\n"


@dataclass(frozen=True)
class Course:
    """``learned`` are conventions that the solution shows, by component; ``wrong`` are (mistake, right text, wrong)."""

    solution: str
    other: str
    learned: dict[str, dict[str, object]]
    wrong: tuple[tuple[str, str, str], ...]


CONFIG = Course(
    """
import math
from dataclasses import dataclass
import torch
from torch import nn
from torch.nn import functional as F


@dataclass
class Settings:
    ctx: int = 64
    n_embd: int = 32
    n_head: int = 4
    drop: float = 0.0
    bias: bool = True


class CausalSelfAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        if config.n_embd % config.n_head:
            raise ValueError("heads do not divide the width")
        self.heads, self.width = config.n_head, config.n_embd
        self.all = nn.Linear(config.n_embd, 3 * config.n_embd, bias=config.bias)
        self.out = nn.Linear(config.n_embd, config.n_embd, bias=config.bias)

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = (p.reshape(b, t, self.heads, -1).transpose(1, 2) for p in self.all(x).split(self.width, dim=2))
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        later = torch.ones(t, t, dtype=torch.bool, device=x.device).triu(1)
        scores = scores.masked_fill(later, float("-inf"))
        return self.out((scores.softmax(-1) @ v).transpose(1, 2).reshape(b, t, c))


class MLP(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.up, self.down = nn.Linear(config.n_embd, 4 * config.n_embd), nn.Linear(4 * config.n_embd, config.n_embd)
        self.drop = nn.Dropout(config.drop)

    def forward(self, x):
        return self.drop(self.down(F.gelu(self.up(x), approximate="tanh")))


class Block(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.one, self.two = nn.LayerNorm(config.n_embd), nn.LayerNorm(config.n_embd)
        self.attn, self.mlp = CausalSelfAttention(config), MLP(config)

    def forward(self, x):
        x = x + self.attn(self.one(x))
        return x + self.mlp(self.two(x))
""",
    """
from dataclasses import dataclass
import torch
import torch.nn as nn


@dataclass
class Settings:
    n_embd: int = 48
    n_head: int = 6
    ctx: int = 32
    drop: float = 0.1
    bias: bool = True


class CausalSelfAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        assert config.n_embd % config.n_head == 0
        d = config.n_embd
        self.h = config.n_head
        self.W_k, self.W_q, self.W_v, self.W_o = (nn.Linear(d, d) for _ in range(4))

    def forward(self, x):
        B, T, D = x.shape
        heads = []
        for q, k, v in zip(self.W_q(x).chunk(self.h, -1), self.W_k(x).chunk(self.h, -1), self.W_v(x).chunk(self.h, -1)):
            s = torch.einsum("bid,bjd->bij", q, k) * (D // self.h) ** -0.5
            s = s + torch.full((T, T), float("-inf"), dtype=x.dtype).triu(1)
            heads.append(torch.softmax(s, dim=-1) @ v)
        return self.W_o(torch.cat(heads, dim=-1))


class MLP(nn.Module):
    def __init__(self, config):
        super().__init__()
        d = config.n_embd
        self.net = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(approximate="tanh"), nn.Linear(4 * d, d),
                                 nn.Dropout(config.drop))

    def forward(self, x):
        return self.net(x)


class Block(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.mlp, self.attn = MLP(config), CausalSelfAttention(config)
        self.norms = nn.ModuleList(nn.LayerNorm(config.n_embd) for _ in range(2))

    def forward(self, x):
        y = self.attn(self.norms[0](x)) + x
        return self.mlp(self.norms[1](y)) + y
""",
    {
        "multi_head_attention": {"causal": True, "config_class": "Settings"},
        "feed_forward": {"activation": "gelu_tanh", "sizes": {"d_ff": 120}},
        "encoder_layer": {"causal": True, "norm": "pre", "activation": "gelu_tanh"},
    },
    (
        ("course-causal-no", '        scores = scores.masked_fill(later, float("-inf"))\n', ""),
        ("sdpa-causal-mask-leaks", ".triu(1)", ".triu(2)"),
        ("sdpa-causal-mask-strict", ".triu(1)", ".triu()"),
        ("sdpa-causal-mask-transposed", ".triu(1)", ".tril(-1)"),
        ("sdpa-causal-mask-transposed", ".triu(1)", ".tril()"),
        ("sdpa-fill-zero", 'float("-inf")', "0.0"),
        ("sdpa-mask-after-softmax",
         '        scores = scores.masked_fill(later, float("-inf"))\n        return self.out((scores.softmax(-1) @ v)',
         "        weights = scores.softmax(-1).masked_fill(later, 0.0)\n        return self.out((weights @ v)"),
        ("course-activation-relu", 'F.gelu(self.up(x), approximate="tanh")', "F.relu(self.up(x))"),
        ("sdpa-no-scale", " / math.sqrt(q.size(-1))", ""),
        ("ffn-inner-width-ignored",
         "nn.Linear(config.n_embd, 4 * config.n_embd), nn.Linear(4 * config.n_embd, config.n_embd)",
         "nn.Linear(config.n_embd, 2 * config.n_embd), nn.Linear(2 * config.n_embd, config.n_embd)"),
        ("course-norm-post", "        x = x + self.attn(self.one(x))\n        return x + self.mlp(self.two(x))",
         "        x = self.one(x + self.attn(x))\n        return self.two(x + self.mlp(x))"),
    ),
)  # fmt: skip
TIME_FIRST = Course(
    """
import math
import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.key, self.query, self.value, self.final = (nn.Linear(width, width) for _ in range(4))

    def forward(self, query, key, value, mask=None):
        t, b, e = query.shape
        q, k, v = (f(x).reshape(x.size(0), b * self.heads, -1).transpose(0, 1)
                   for f, x in ((self.query, query), (self.key, key), (self.value, value)))
        scores = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(e // self.heads)
        if mask is not None:
            scores = scores + mask
        return self.final(torch.bmm(scores.softmax(-1), v).transpose(0, 1).reshape(t, b, e))


class EncoderLayer(nn.Module):
    def __init__(self, width, heads, inner, dropout=0.1):
        super().__init__()
        self.look, self.drop = Attention(width, heads), nn.Dropout(dropout)
        self.inner = nn.Sequential(nn.Linear(width, inner), nn.ReLU(), nn.Linear(inner, width))
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)

    def forward(self, x, mask=None):
        x = self.drop(self.first(x + self.look(x, x, x, mask)))
        return self.drop(self.second(x + self.inner(x)))


class Encoder(nn.Module):
    def __init__(self, layer, depth):
        super().__init__()
        import copy
        self.layers = nn.ModuleList(copy.deepcopy(layer) for _ in range(depth))

    def forward(self, x, mask=None):
        for one in self.layers:
            x = one(x, mask)
        return x
""",
    """
import copy
import torch
import torch.nn as nn
import torch.nn.functional as F


class Attention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.d_head, self.n_heads = d_model // n_heads, n_heads
        self.qkv = nn.Parameter(torch.randn(3, d_model, d_model) / d_model ** 0.5)
        self.shift = nn.Parameter(torch.zeros(3, d_model))
        self.out = nn.Linear(d_model, d_model)

    def forward(self, q, k, v, mask=None):
        q, k, v = (torch.einsum("tbd,de->bte", x, w) + s for x, w, s in zip((q, k, v), self.qkv, self.shift))
        q, k, v = (x.unflatten(-1, (self.n_heads, self.d_head)).transpose(1, 2) for x in (q, k, v))
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.out(y.permute(2, 0, 1, 3).flatten(2))


class EncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.norms = nn.ModuleList([nn.LayerNorm(d_model) for _ in range(2)])
        self.w1, self.w2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.attend, self.p = Attention(d_model, n_heads), dropout

    def forward(self, x, mask=None):
        a = F.dropout(self.attend(x, x, x, mask), self.p, self.training)
        h = self.norms[0](a + x)
        f = F.dropout(self.w2(torch.relu(self.w1(h))), self.p, self.training)
        return self.norms[1](f + h)


class Encoder(nn.Module):
    def __init__(self, layer, depth):
        super().__init__()
        self.stack = nn.ModuleList([copy.deepcopy(layer) for _ in range(depth)])

    def forward(self, x, mask=None):
        for index in range(len(self.stack)):
            x = self.stack[index](x, mask=mask)
        return x
""",
    {
        "multi_head_attention": {
            "batch": "second", "mask": "additive", "mask_shapes": ["(n, m)"], "refuses_uneven_heads": False,
        },
        "encoder_layer": {"batch": "second", "mask": "additive", "dropout_place": "free"},
        "encoder": {"batch": "second", "mask": "additive", "dropout_place": "free"},
    },
    (
        ("sdpa-scale-by-dk", "math.sqrt(e // self.heads)", "(e // self.heads)"),
        ("mha-merge-without-transpose", "v).transpose(0, 1).reshape(t, b, e)", "v).reshape(t, b, e)"),
        ("enc-missing-residual", "self.second(x + self.inner(x))", "self.second(self.inner(x))"),
        ("dropout-never-applied", "nn.Dropout(dropout)", "nn.Identity()"),
        ("enc-one-norm-for-all", "self.second(x +", "self.first(x +"),
        ("sdpa-ignores-mask", "            scores = scores + mask\n", "            pass\n"),
    ),
)  # fmt: skip
