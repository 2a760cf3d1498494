import math
import torch
from torch import nn

class MultiHeadAttention(nn.Module):

    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError
        self.h, self.dk = (num_heads, d_model // num_heads)
        self.w_q = nn.Parameter(torch.randn(num_heads, d_model, self.dk) * 0.1)
        self.w_k = nn.Parameter(torch.randn(num_heads, d_model, self.dk) * 0.1)
        self.w_v = nn.Parameter(torch.randn(num_heads, d_model, self.dk) * 0.1)
        self.w_o = nn.Parameter(torch.randn(num_heads * self.dk, d_model) * 0.1)

    def forward(self, query, key, value, mask=None):
        form = self.w_q @ self.w_k.mT / math.sqrt(self.dk)
        s = torch.einsum('bnd,hde,bme->bhnm', query, form, key)
        if mask is not None:
            s = s.masked_fill(~(mask if mask.dim() != 3 else mask[:, None]), -1000000000.0)
        ov = self.w_v @ self.w_o.view(self.h, self.dk, -1)
        return torch.einsum('bhnm,bme,hed->bnd', s.softmax(-1), value, ov)
