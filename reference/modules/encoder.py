"""The encoder in torch (section 3.1, figure 1, left)."""

from __future__ import annotations

from torch import Tensor, nn

from reference.modules.feed_forward import PositionwiseFeedForward
from reference.modules.layer_norm import AddNorm, LayerNorm
from reference.modules.multi_head import MultiHeadAttention


class EncoderLayer(nn.Module):
    """Self-attention and feed-forward, each inside an `AddNorm`. Raises ValueError as its parts do."""

    def __init__(
        self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.0, *, norm_position: str = "post"
    ) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.norm_1 = AddNorm(d_model, dropout, norm_position=norm_position)
        self.feed_forward = PositionwiseFeedForward(d_model, d_ff, dropout)
        self.norm_2 = AddNorm(d_model, dropout, norm_position=norm_position)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        """Return an array shaped as x ``(batch, n, d_model)``; the mask is that of `MultiHeadAttention`."""
        x = self.norm_1(x, lambda y: self.self_attention(y, y, y, mask))
        transformed: Tensor = self.norm_2(x, self.feed_forward)
        return transformed


class Encoder(nn.Module):
    """num_layers layers, each with its own weights. A pre-norm stack ends with a norm, the paper's not."""

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
        # ModuleList, and not a plain list: the model must know the parameters of its layers.
        self.layers = nn.ModuleList(
            EncoderLayer(d_model, num_heads, d_ff, dropout, norm_position=norm_position) for _ in range(num_layers)
        )
        self.norm = LayerNorm(d_model) if norm_position == "pre" else nn.Identity()

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        """Return the memory, shaped as x ``(batch, n, d_model)``."""
        for layer in self.layers:
            x = layer(x, mask)
        memory: Tensor = self.norm(x)
        return memory
