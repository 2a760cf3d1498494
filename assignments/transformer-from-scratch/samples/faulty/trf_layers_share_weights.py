# misconception: trf-layers-share-weights  component: transformer
import math
import torch
import torch.nn as nn


class Attention(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.w_q, self.w_k, self.w_v, self.w_o = (nn.Linear(d, d) for _ in range(4))

    def forward(self, x, y, mask=None):
        q, k, v = (w(t).unflatten(-1, (self.h, -1)).transpose(1, 2) for w, t in ((self.w_q, x), (self.w_k, y), (self.w_v, y)))
        s = q @ k.mT / math.sqrt(q.shape[-1])
        if mask is not None:
            s = s.masked_fill(~(mask[:, None] if mask.dim() == 3 else mask), float("-inf"))
        return self.w_o((s.softmax(-1) @ v).transpose(1, 2).flatten(2))


class EncoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout):
        super().__init__()
        self.attn = Attention(d_model, num_heads)
        self.ffn = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))
        self.n1, self.n2, self.do = nn.LayerNorm(d_model), nn.LayerNorm(d_model), nn.Dropout(dropout)

    def forward(self, x, mask):
        x = self.n1(x + self.do(self.attn(x, x, mask)))
        return self.n2(x + self.do(self.ffn(x)))


class DecoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout):
        super().__init__()
        self.attn, self.cross = Attention(d_model, num_heads), Attention(d_model, num_heads)
        self.ffn = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))
        self.n1, self.n2, self.n3, self.do = nn.LayerNorm(d_model), nn.LayerNorm(d_model), nn.LayerNorm(d_model), nn.Dropout(dropout)

    def forward(self, x, mem, src_mask, tgt_mask):
        x = self.n1(x + self.do(self.attn(x, x, tgt_mask)))
        x = self.n2(x + self.do(self.cross(x, mem, src_mask)))
        return self.n3(x + self.do(self.ffn(x)))


class Transformer(nn.Module):
    def __init__(self, src_vocab, tgt_vocab, d_model, num_heads, num_layers, d_ff, max_len, dropout=0.0):
        super().__init__()
        self.src_embedding, self.tgt_embedding = nn.Embedding(src_vocab, d_model), nn.Embedding(tgt_vocab, d_model)
        a = torch.arange(max_len).unsqueeze(1) * torch.exp(torch.arange(0, d_model, 2) * (-math.log(1e4) / d_model))
        pe = torch.zeros(max_len, d_model)
        pe[:, ::2], pe[:, 1::2] = a.sin(), a.cos()
        self.register_buffer("pe", pe)
        self.num_layers = num_layers
        self.encoder_layer = EncoderBlock(d_model, num_heads, d_ff, dropout)
        self.decoder_layer = DecoderBlock(d_model, num_heads, d_ff, dropout)
        self.final, self.do, self.scale = nn.Linear(d_model, tgt_vocab), nn.Dropout(dropout), math.sqrt(d_model)

    def forward(self, src, tgt, src_mask=None, tgt_mask=None):
        x = self.do(self.src_embedding(src) * self.scale + self.pe[: src.size(1)])
        y = self.do(self.tgt_embedding(tgt) * self.scale + self.pe[: tgt.size(1)])
        if tgt_mask is None:
            tgt_mask = torch.ones(tgt.size(1), tgt.size(1), dtype=torch.bool, device=tgt.device).tril()
        for _ in range(self.num_layers):
            x = self.encoder_layer(x, src_mask)
        for _ in range(self.num_layers):
            y = self.decoder_layer(y, x, src_mask, tgt_mask)
        return self.final(y)
