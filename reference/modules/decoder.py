"""The decoder in torch (section 3.1, figure 1, right)."""

from __future__ import annotations

from torch import Tensor, nn

from reference.modules.feed_forward import PositionwiseFeedForward
from reference.modules.layer_norm import AddNorm, LayerNorm
from reference.modules.multi_head import MultiHeadAttention


class DecoderLayer(nn.Module):
    """Masked self-attention, attention to the memory and feed-forward, each inside an `AddNorm`."""

    def __init__(
        self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.0, *, norm_position: str = "post"
    ) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.norm_1 = AddNorm(d_model, dropout, norm_position=norm_position)
        self.cross_attention = MultiHeadAttention(d_model, num_heads)
        self.norm_2 = AddNorm(d_model, dropout, norm_position=norm_position)
        self.feed_forward = PositionwiseFeedForward(d_model, d_ff, dropout)
        self.norm_3 = AddNorm(d_model, dropout, norm_position=norm_position)

    def forward(
        self, x: Tensor, memory: Tensor, src_mask: Tensor | None = None, tgt_mask: Tensor | None = None
    ) -> Tensor:
        """Return an array shaped as x ``(batch, n_tgt, d_model)``; memory is ``(batch, n_src, d_model)``.

        `tgt_mask` is used in self-attention, `src_mask`, broadcastable to ``(..., n_tgt, n_src)``, in
        cross-attention. None lets everything be seen.
        """
        x = self.norm_1(x, lambda y: self.self_attention(y, y, y, tgt_mask))
        x = self.norm_2(x, lambda y: self.cross_attention(y, memory, memory, src_mask))
        transformed: Tensor = self.norm_3(x, self.feed_forward)
        return transformed


class Decoder(nn.Module):
    """num_layers layers, each with its own weights; all read the same memory. Norms as in `Encoder`."""

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        dropout: float = 0.0,
        *,
        norm_position: str = "post",
    ) -> None:
        super().__init__()
        self.layers = nn.ModuleList(
            DecoderLayer(d_model, num_heads, d_ff, dropout, norm_position=norm_position) for _ in range(num_layers)
        )
        self.norm = LayerNorm(d_model) if norm_position == "pre" else nn.Identity()

    def forward(
        self, x: Tensor, memory: Tensor, src_mask: Tensor | None = None, tgt_mask: Tensor | None = None
    ) -> Tensor:
        """Return an array shaped as x ``(batch, n_tgt, d_model)``; masks as in `DecoderLayer`."""
        for layer in self.layers:
            x = layer(x, memory, src_mask, tgt_mask)
        hidden: Tensor = self.norm(x)
        return hidden
