"""Multi-head attention in torch (section 3.2.2)."""

from __future__ import annotations

from torch import Tensor, nn

from reference.modules.attention import scaled_dot_product_attention


class MultiHeadAttention(nn.Module):
    """Four projections around h attentions of d_k = d_model / h columns each.

    Self-attention is ``mha(x, x, x)``, encoder-decoder attention ``mha(x, memory, memory)``. Raises
    ValueError where num_heads does not divide d_model.
    """

    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        if num_heads < 1 or d_model % num_heads:
            raise ValueError(f"d_model = {d_model} cannot be split evenly into {num_heads} heads")
        self.num_heads = num_heads
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)
        self.w_o = nn.Linear(d_model, d_model)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
        """Return an array shaped as query ``(batch, n, d_model)``; key and value are ``(batch, m, d_model)``.

        `mask` is boolean, True = may attend: 2 axes ``(n, m)`` for all, 3 axes ``(batch, n, m)`` per sample,
        4 axes broadcastable to ``(batch, heads, n, m)``.
        """
        if mask is not None and mask.ndim == 3:
            mask = mask.unsqueeze(1)
        q, k, v = self._split(self.w_q(query)), self._split(self.w_k(key)), self._split(self.w_v(value))
        heads, _ = scaled_dot_product_attention(q, k, v, mask)
        merged: Tensor = self.w_o(heads.transpose(1, 2).flatten(start_dim=2))
        return merged

    def _split(self, x: Tensor) -> Tensor:
        """Return ``(batch, n, h * d_k)`` as ``(batch, h, n, d_k)``."""
        batch, n, width = x.shape
        return x.reshape(batch, n, self.num_heads, width // self.num_heads).transpose(1, 2)
