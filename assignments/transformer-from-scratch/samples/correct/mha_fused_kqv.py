# correct  component: multi_head_attention
import torch
import torch.nn as nn

NEG = -1e9


class MultiHeadAttention(nn.Module):
    """kqv in one matrix. Each input goes through the whole matrix and I pick the third I need
    (three times the work, I know)."""

    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("num_heads must divide d_model")
        self.d = d_model
        self.h = num_heads
        self.kqv = nn.Linear(d_model, d_model * 3, bias=False)
        self.unify = nn.Linear(d_model, d_model)

    def pick(self, x, which):
        third = self.kqv(x)[..., which * self.d:(which + 1) * self.d]
        return torch.stack(third.split(self.d // self.h, dim=-1), dim=1)

    def forward(self, query, key, value, mask=None):
        k, q, v = self.pick(key, 0), self.pick(query, 1), self.pick(value, 2)
        dots = torch.einsum("bhnd,bhmd->bhnm", q, k) / (self.d / self.h) ** 0.5
        if mask is not None:
            if mask.dim() == 3:
                mask = mask.unsqueeze(1)
            dots = dots.masked_fill(mask.logical_not(), NEG)
        dots = torch.softmax(dots, dim=-1)
        heads = torch.einsum("bhnm,bhmd->bhnd", dots, v)
        return self.unify(torch.cat(heads.unbind(1), dim=-1))
