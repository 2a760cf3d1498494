"""Embeddings in torch, and the output that shares their matrix (section 3.4)."""

from __future__ import annotations

import math

from torch import Tensor, nn


class TokenEmbedding(nn.Module):
    """A learned row per token, times sqrt(d_model).

    The rows start with variance 1 / d_model, so that after the factor their entries have the size of the
    positions.
    """

    def __init__(self, vocab: int, d_model: int) -> None:
        super().__init__()
        self.d_model = d_model
        self.embedding = nn.Embedding(vocab, d_model)
        nn.init.normal_(self.embedding.weight, std=d_model**-0.5)

    def forward(self, ids: Tensor) -> Tensor:
        """Return ``(..., d_model)`` for whole-number ids ``(...)``."""
        rows: Tensor = self.embedding(ids)
        return rows * math.sqrt(self.d_model)


class TiedOutput(nn.Module):
    """One matrix that embeds tokens and, transposed, scores them: without scaling, to show the tie alone."""

    def __init__(self, vocab: int, d_model: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab, d_model)

    def forward(self, ids: Tensor) -> Tensor:
        """Return the logits ``(..., vocab)`` for ids ``(...)``; gradients reach the matrix by both ways."""
        rows: Tensor = self.embedding(ids)
        return rows @ self.embedding.weight.T
