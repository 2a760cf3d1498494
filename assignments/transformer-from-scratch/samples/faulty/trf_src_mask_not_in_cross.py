# faulty  component: transformer
# what: the source mask reaches the encoder but not the cross-attention
import math
import torch
import torch.nn as nn


class Attention(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h, self.lin = h, nn.ModuleList([nn.Linear(d, d) for _ in range(4)])

    def forward(self, x, y, mask=None):
        q, k, v = (l(t).unflatten(-1, (self.h, -1)).transpose(1, 2) for l, t in zip(self.lin, (x, y, y)))
        s = torch.matmul(q, k.mT) / math.sqrt(q.shape[-1])
        if mask is not None:
            if mask.dim() == 3:
                mask = mask.unsqueeze(1)
            s = s.masked_fill(~mask, -1e9)
        return self.lin[3](torch.matmul(s.softmax(-1), v).transpose(1, 2).flatten(2))


class EncLayer(nn.Module):
    def __init__(self, d, h, f, p):
        super().__init__()
        self.attn, self.up, self.down = Attention(d, h), nn.Linear(d, f), nn.Linear(f, d)
        self.ln1, self.ln2, self.do = nn.LayerNorm(d), nn.LayerNorm(d), nn.Dropout(p)

    def forward(self, x, mask=None):
        x = self.ln1(x + self.do(self.attn(x, x, mask)))
        return self.ln2(x + self.do(self.down(self.up(x).relu())))


class DecLayer(nn.Module):
    def __init__(self, d, h, f, p):
        super().__init__()
        self.attn, self.cross, self.up, self.down = Attention(d, h), Attention(d, h), nn.Linear(d, f), nn.Linear(f, d)
        self.ln1, self.ln2, self.ln3, self.do = nn.LayerNorm(d), nn.LayerNorm(d), nn.LayerNorm(d), nn.Dropout(p)

    def forward(self, x, memory, src_mask=None, tgt_mask=None):
        x = self.ln1(x + self.do(self.attn(x, x, tgt_mask)))
        x = self.ln2(x + self.do(self.cross(x, memory, src_mask)))
        return self.ln3(x + self.do(self.down(self.up(x).relu())))


class Transformer(nn.Module):
    def __init__(self, src_vocab, tgt_vocab, d_model, num_heads, num_layers, d_ff, max_len, dropout=0.0):
        super().__init__()
        self.emb_src, self.emb_tgt = nn.Embedding(src_vocab, d_model), nn.Embedding(tgt_vocab, d_model)
        pe = torch.zeros(max_len, d_model)
        t = torch.arange(max_len).float()[:, None]
        w = torch.exp(-torch.arange(0, d_model, 2).float() / d_model * math.log(10000.0))
        pe[:, 0::2], pe[:, 1::2] = torch.sin(t * w), torch.cos(t * w)
        self.register_buffer("pe", pe)
        self.enc_layers = nn.ModuleList([EncLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers)])
        self.dec_layers = nn.ModuleList([DecLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers)])
        self.fc, self.do, self.s = nn.Linear(d_model, tgt_vocab), nn.Dropout(dropout), math.sqrt(d_model)

    def forward(self, src, tgt, src_mask=None, tgt_mask=None):
        enc = self.do(self.emb_src(src) * self.s + self.pe[: src.size(1)])
        for layer in self.enc_layers:
            enc = layer(enc, src_mask)
        if tgt_mask is None:
            tgt_mask = torch.tril(torch.ones(tgt.size(1), tgt.size(1), dtype=torch.bool, device=tgt.device))
        dec = self.do(self.emb_tgt(tgt) * self.s + self.pe[: tgt.size(1)])
        for layer in self.dec_layers:
            dec = layer(dec, enc, tgt_mask=tgt_mask)
        return self.fc(dec)
