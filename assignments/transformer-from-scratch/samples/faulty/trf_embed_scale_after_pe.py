# misconception: trf-embed-scale-after-pe  component: transformer
import torch
import torch.nn as nn
import torch.nn.functional as F


class Attention(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.heads = heads
        self.q_net = nn.Linear(d, d)
        self.k_net = nn.Linear(d, d)
        self.v_net = nn.Linear(d, d)
        self.o_net = nn.Linear(d, d)

    def forward(self, x, y, mask):
        B, n, d = x.shape
        q = self.q_net(x).reshape(B, n, self.heads, -1).permute(0, 2, 1, 3)
        k = self.k_net(y).reshape(B, y.shape[1], self.heads, -1).permute(0, 2, 3, 1)
        v = self.v_net(y).reshape(B, y.shape[1], self.heads, -1).permute(0, 2, 1, 3)
        w = q @ k / (d / self.heads) ** 0.5
        if mask is not None:
            w = w.masked_fill(torch.logical_not(mask.unsqueeze(1) if mask.dim() == 3 else mask), -1e9)
        return self.o_net((F.softmax(w, -1) @ v).permute(0, 2, 1, 3).reshape(B, n, d))


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0):
        super().__init__()
        self.attn = Attention(d_model, num_heads)
        self.fc1, self.fc2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.p = dropout

    def forward(self, x, mask=None):
        x = self.norm1(x + F.dropout(self.attn(x, x, mask), self.p, self.training))
        return self.norm2(x + F.dropout(self.fc2(F.relu(self.fc1(x))), self.p, self.training))


class DecoderLayer(EncoderLayer):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0):
        nn.Module.__init__(self)
        self.attn = Attention(d_model, num_heads)
        self.cross = Attention(d_model, num_heads)
        self.fc1, self.fc2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.norm1, self.norm2, self.norm3 = nn.LayerNorm(d_model), nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.p = dropout

    def forward(self, x, memory, src_mask=None, tgt_mask=None):
        x = self.norm1(x + F.dropout(self.attn(x, x, tgt_mask), self.p, self.training))
        x = self.norm2(x + F.dropout(self.cross(x, memory, src_mask), self.p, self.training))
        return self.norm3(x + F.dropout(self.fc2(F.relu(self.fc1(x))), self.p, self.training))


class Transformer(nn.Module):
    def __init__(self, src_vocab, tgt_vocab, d_model, num_heads, num_layers, d_ff, max_len, dropout=0.0):
        super().__init__()
        self.emb_src = nn.Embedding(src_vocab, d_model)
        self.emb_tgt = nn.Embedding(tgt_vocab, d_model)
        pos = torch.arange(max_len).unsqueeze(1)
        i = torch.arange(0, d_model, 2)
        pe = torch.zeros(max_len, d_model)
        pe[:, 0::2] = torch.sin(pos / 10000 ** (i / d_model))
        pe[:, 1::2] = torch.cos(pos / 10000 ** (i / d_model))
        self.register_buffer("pe", pe)
        self.enc_stack = nn.ModuleList([EncoderLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers)])
        self.dec_stack = nn.ModuleList([DecoderLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers)])
        self.classifier = nn.Linear(d_model, tgt_vocab, bias=False)
        self.d_model, self.p = d_model, dropout

    def embed(self, layer, ids):
        h = layer(ids)
        h = h + self.pe[None, : ids.size(1)]
        h = h * self.d_model ** 0.5
        return F.dropout(h, self.p, self.training)

    def forward(self, src, tgt, src_mask=None, tgt_mask=None):
        h = self.embed(self.emb_src, src)
        for l in self.enc_stack:
            h = l(h, src_mask)
        if tgt_mask is None:
            r = torch.arange(tgt.size(1), device=tgt.device)
            tgt_mask = r[:, None] >= r
        y = self.embed(self.emb_tgt, tgt)
        for l in self.dec_stack:
            y = l(y, h, src_mask, tgt_mask)
        return self.classifier(y)
