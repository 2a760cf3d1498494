# correct  component: multi_head_attention
import torch
from torch import nn, Tensor


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int):
        super().__init__()
        if not (d_model / num_heads).is_integer():
            raise ValueError("d_k is not an integer")
        self.num_heads = num_heads
        self.to_kv = nn.Linear(d_model, 2 * d_model, bias=False)
        self.to_q = nn.Linear(d_model, d_model, bias=False)
        self.to_out = nn.Sequential(nn.Linear(d_model, d_model), nn.Dropout(0.0))
        self.unused = nn.Identity()

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
        h = self.num_heads
        q = self.to_q(query)
        k, _ = self.to_kv(key).chunk(2, dim=-1)
        _, v = self.to_kv(value).chunk(2, dim=-1)
        q, k, v = (t.unflatten(-1, (h, -1)).movedim(-2, 1) for t in (q, k, v))
        sim = torch.einsum("b h i d, b h j d -> b h i j", q, k) * q.shape[-1] ** -0.5
        if mask is not None:
            if mask.ndim == 3:
                mask = mask[:, None]
            sim.masked_fill_(~mask, -torch.finfo(sim.dtype).max)
        attn = (sim - sim.amax(dim=-1, keepdim=True).detach()).softmax(dim=-1)
        out = torch.einsum("b h i j, b h j d -> b h i d", attn, v)
        return self.to_out(out.movedim(1, -2).flatten(-2))
