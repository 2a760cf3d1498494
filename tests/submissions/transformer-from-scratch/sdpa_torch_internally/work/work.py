import numpy as np


import torch


def scaled_dot_product_attention(Q, K, V, mask=None):
    q, k, v = (torch.from_numpy(np.ascontiguousarray(np.asarray(x, dtype=x.dtype if x.dtype.kind == 'f' else float))) for x in (Q, K, V))
    s = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    if mask is not None:
        s = s.masked_fill(~torch.from_numpy(np.array(mask)), -1e9)
    w = s.softmax(-1)
    return w @ v, w
