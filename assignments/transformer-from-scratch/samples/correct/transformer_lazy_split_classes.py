# correct  component: transformer
import torch
from torch import nn
import math


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("num_heads")
        self.num_heads = num_heads
        self.W_k = nn.LazyLinear(d_model)
        self.W_q = nn.LazyLinear(d_model)
        self.W_v = nn.LazyLinear(d_model)
        self.W_o = nn.LazyLinear(d_model)

    def forward(self, query, key, value, mask=None):
        h = self.num_heads
        Q, K, V = (w(t).reshape(t.shape[0], t.shape[1], h, -1).permute(0, 2, 1, 3)
                   for w, t in ((self.W_q, query), (self.W_k, key), (self.W_v, value)))
        S = Q @ K.transpose(-1, -2) / math.sqrt(K.shape[-1])
        if mask is not None:
            if mask.dim() == 3:
                mask = mask[:, None]
            S = S.masked_fill(mask == False, -1e9)
        return self.W_o((S.softmax(-1) @ V).permute(0, 2, 1, 3).reshape(query.shape[0], query.shape[1], -1))


class Sub(nn.Module):
    def __init__(self, d, p):
        super().__init__()
        self.p, self.ln = nn.Dropout(p), nn.LayerNorm(d)

    def forward(self, x, y):
        return self.ln(x + self.p(y))


def ffn(d, f):
    return nn.Sequential(nn.LazyLinear(f), nn.ReLU(), nn.LazyLinear(d))


class TransformerEncoderBlock(nn.Module):
    def __init__(self, d, h, f, p):
        super().__init__()
        self.attention, self.sub1 = MultiHeadAttention(d, h), Sub(d, p)
        self.ffn, self.sub2 = ffn(d, f), Sub(d, p)

    def forward(self, X, mask):
        Y = self.sub1(X, self.attention(X, X, X, mask))
        return self.sub2(Y, self.ffn(Y))


class TransformerDecoderBlock(nn.Module):
    def __init__(self, d, h, f, p):
        super().__init__()
        self.attention1, self.sub1 = MultiHeadAttention(d, h), Sub(d, p)
        self.attention2, self.sub2 = MultiHeadAttention(d, h), Sub(d, p)
        self.ffn, self.sub3 = ffn(d, f), Sub(d, p)

    def forward(self, X, enc_outputs, enc_mask, dec_mask):
        Y = self.sub1(X, self.attention1(X, X, X, dec_mask))
        Z = self.sub2(Y, self.attention2(Y, enc_outputs, enc_outputs, enc_mask))
        return self.sub3(Z, self.ffn(Z))


class PE(nn.Module):
    def __init__(self, num_hiddens, max_len):
        super().__init__()
        P = torch.zeros((1, max_len, num_hiddens))
        X = torch.arange(max_len, dtype=torch.float32).reshape(-1, 1) / torch.pow(
            10000, torch.arange(0, num_hiddens, 2, dtype=torch.float32) / num_hiddens)
        P[:, :, 0::2] = torch.sin(X)
        P[:, :, 1::2] = torch.cos(X)
        self.register_buffer("P", P)

    def forward(self, X):
        return X + self.P[:, :X.shape[1], :]


class Transformer(nn.Module):
    def __init__(self, src_vocab, tgt_vocab, d_model, num_heads, num_layers, d_ff, max_len, dropout=0.0):
        super().__init__()
        self.num_hiddens = d_model
        self.src_embedding = nn.Embedding(src_vocab, d_model)
        self.tgt_embedding = nn.Embedding(tgt_vocab, d_model)
        self.pos_encoding = PE(d_model, max_len)
        self.drop = nn.Dropout(dropout)
        self.enc_blks, self.dec_blks = nn.Sequential(), nn.Sequential()
        for i in range(num_layers):
            self.enc_blks.add_module(f"block{i}", TransformerEncoderBlock(d_model, num_heads, d_ff, dropout))
            self.dec_blks.add_module(f"block{i}", TransformerDecoderBlock(d_model, num_heads, d_ff, dropout))
        self.dense = nn.LazyLinear(tgt_vocab)

    def forward(self, src, tgt, src_mask=None, tgt_mask=None):
        X = self.drop(self.pos_encoding(self.src_embedding(src) * math.sqrt(self.num_hiddens)))
        for blk in self.enc_blks:
            X = blk(X, src_mask)
        Y = self.drop(self.pos_encoding(self.tgt_embedding(tgt) * math.sqrt(self.num_hiddens)))
        if tgt_mask is None:
            steps = torch.arange(tgt.shape[1], device=tgt.device)
            tgt_mask = steps.unsqueeze(1) >= steps
        for blk in self.dec_blks:
            Y = blk(Y, X, src_mask, tgt_mask)
        return self.dense(Y)
