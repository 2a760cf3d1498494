"""The whole model in torch (figure 1)."""

from __future__ import annotations

from torch import Tensor, nn

from reference.modules.attention import causal_mask
from reference.modules.decoder import Decoder
from reference.modules.embedding import TokenEmbedding
from reference.modules.encoder import Encoder
from reference.modules.positional import PositionalEncoding


class Transformer(nn.Module):
    """Embeddings with positions, encoder, decoder, and a linear generator that scores the next token.

    The output is not tied to an embedding here (see `TiedOutput` for the tie of section 3.4), so that source
    and target may have different vocabularies. Dropout acts on the sums of embeddings and positions and on
    every sublayer's output (section 5.4). Raises ValueError where num_heads does not divide d_model.
    """

    def __init__(
        self,
        src_vocab: int,
        tgt_vocab: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_len: int,
        dropout: float = 0.0,
        *,
        norm_position: str = "post",
    ) -> None:
        super().__init__()
        self.src_embedding = TokenEmbedding(src_vocab, d_model)
        self.tgt_embedding = TokenEmbedding(tgt_vocab, d_model)
        self.position = PositionalEncoding(max_len, d_model)
        self.dropout = nn.Dropout(dropout)
        self.encoder = Encoder(d_model, num_heads, num_layers, d_ff, dropout, norm_position=norm_position)
        self.decoder = Decoder(d_model, num_heads, num_layers, d_ff, dropout, norm_position=norm_position)
        self.generator = nn.Linear(d_model, tgt_vocab)

    def forward(
        self, src: Tensor, tgt: Tensor, src_mask: Tensor | None = None, tgt_mask: Tensor | None = None
    ) -> Tensor:
        """Return the logits ``(batch, n_tgt, tgt_vocab)`` for ids ``(batch, n_src)`` and ``(batch, n_tgt)``.

        The row at position i scores the token after tgt[i]. Causal where `tgt_mask` is None.
        """
        return self.decode(tgt, self.encode(src, src_mask), src_mask, tgt_mask)

    def encode(self, src: Tensor, src_mask: Tensor | None = None) -> Tensor:
        """Return the memory ``(batch, n_src, d_model)``. Decoding needs it once, however long the answer."""
        memory: Tensor = self.encoder(self.dropout(self.position(self.src_embedding(src))), src_mask)
        return memory

    def decode(
        self, tgt: Tensor, memory: Tensor, src_mask: Tensor | None = None, tgt_mask: Tensor | None = None
    ) -> Tensor:
        """Return the logits ``(batch, n_tgt, tgt_vocab)``, given the memory."""
        if tgt_mask is None:
            tgt_mask = causal_mask(tgt.shape[1], tgt.device)
        vectors = self.dropout(self.position(self.tgt_embedding(tgt)))
        logits: Tensor = self.generator(self.decoder(vectors, memory, src_mask, tgt_mask))
        return logits
