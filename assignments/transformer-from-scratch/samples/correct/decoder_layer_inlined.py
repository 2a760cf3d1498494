# correct  component: decoder_layer
import torch
import torch.nn.functional as F
from torch import nn


class DecoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.0):
        super().__init__()
        self.num_heads = num_heads
        self.rate = dropout
        self.q1 = nn.Linear(d_model, d_model, bias=False)
        self.k1 = nn.Linear(d_model, d_model, bias=False)
        self.v1 = nn.Linear(d_model, d_model, bias=False)
        self.o1 = nn.Linear(d_model, d_model, bias=False)
        self.q2 = nn.Linear(d_model, d_model, bias=False)
        self.k2 = nn.Linear(d_model, d_model, bias=False)
        self.v2 = nn.Linear(d_model, d_model, bias=False)
        self.o2 = nn.Linear(d_model, d_model, bias=False)
        self.n1 = nn.LayerNorm(d_model)
        self.n2 = nn.LayerNorm(d_model)
        self.n3 = nn.LayerNorm(d_model)
        self.fc1 = nn.Linear(d_model, d_ff)
        self.fc2 = nn.Linear(d_ff, d_model)

    def att(self, q, k, v, mask):
        H = self.num_heads
        q, k, v = (t.reshape(t.size(0), t.size(1), H, -1).transpose(1, 2) for t in (q, k, v))
        s = torch.matmul(q, k.transpose(-2, -1)) * q.size(-1) ** -0.5
        if mask is not None:
            s = s.masked_fill(~(mask if mask.dim() != 3 else mask.unsqueeze(1)), -1e10)
        return torch.matmul(F.softmax(s, -1), v).transpose(1, 2).flatten(2)

    def drop(self, x):
        return F.dropout(x, self.rate, self.training)

    def forward(self, x, memory, src_mask=None, tgt_mask=None):
        a = self.o1(self.att(self.q1(x), self.k1(x), self.v1(x), tgt_mask))
        x1 = self.n1(x + self.drop(a))
        c = self.o2(self.att(self.q2(x1), self.k2(memory), self.v2(memory), src_mask))
        x2 = self.n2(x1 + self.drop(c))
        f = self.fc2(F.relu(self.fc1(x2)))
        return self.n3(x2 + self.drop(f))
