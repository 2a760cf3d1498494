# correct  component: decoder_layer
import math
import torch
from torch import nn

class DotProductAttention(nn.Module):
    def __init__(self, dropout=0.0):
        super().__init__()
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries, keys, values, mask=None):
        d = queries.shape[-1]
        scores = torch.matmul(queries, keys.transpose(-2, -1)) / math.sqrt(d)
        if mask is not None:
            scores = scores.masked_fill(~mask, -1e9)
        self.attention_weights = nn.functional.softmax(scores, dim=-1)
        return torch.matmul(self.dropout(self.attention_weights), values)

class MultiHead(nn.Module):
    def __init__(self, num_hiddens, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.attention = DotProductAttention()
        self.W_q, self.W_k, self.W_v, self.W_o = (nn.LazyLinear(num_hiddens) for _ in range(4))

    def transpose_qkv(self, X):
        return X.reshape(X.shape[0], X.shape[1], self.num_heads, -1).permute(0, 2, 1, 3)

    def forward(self, queries, keys, values, mask):
        if mask is not None and mask.dim() == 3:
            mask = mask[:, None]
        out = self.attention(self.transpose_qkv(self.W_q(queries)), self.transpose_qkv(self.W_k(keys)),
                             self.transpose_qkv(self.W_v(values)), mask)
        out = out.permute(0, 2, 1, 3)
        return self.W_o(out.reshape(out.shape[0], out.shape[1], -1))

class ResidualNorm(nn.Module):
    def __init__(self, norm_shape, dropout):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.ln = nn.LayerNorm(norm_shape)

    def forward(self, X, Y):
        return self.ln(self.dropout(Y) + X)

class DecoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0):
        super().__init__()
        self.attention1 = MultiHead(d_model, num_heads)
        self.addnorm1 = ResidualNorm(d_model, dropout)
        self.attention2 = MultiHead(d_model, num_heads)
        self.addnorm2 = ResidualNorm(d_model, dropout)
        self.ffn = nn.Sequential(nn.LazyLinear(d_ff), nn.ReLU(), nn.LazyLinear(d_model))
        self.addnorm3 = ResidualNorm(d_model, dropout)

    def forward(self, x, memory, src_mask=None, tgt_mask=None):
        X2 = self.attention1(x, x, x, tgt_mask)
        Y = self.addnorm1(x, X2)
        Y2 = self.attention2(Y, memory, memory, src_mask)
        Z = self.addnorm2(Y, Y2)
        return self.addnorm3(Z, self.ffn(Z))
