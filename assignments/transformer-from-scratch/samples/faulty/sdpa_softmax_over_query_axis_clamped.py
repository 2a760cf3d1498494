# misconception: sdpa-softmax-over-query-axis  component: scaled_dot_product_attention
import numpy as np
import torch

def scaled_dot_product_attention(Q, K, V, mask=None):
    q, k, v = (torch.as_tensor(np.asarray(a, dtype=np.float64)) for a in (Q, K, V))
    s = torch.einsum("...qd,...kd->...qk", q, k).div(np.sqrt(q.shape[-1]))
    if mask is not None:
        s.masked_fill_(~torch.as_tensor(np.asarray(mask)), -torch.inf)
    s = s - s.amax(-2, keepdim=True).clamp(min=-1e300)
    w = s.exp()
    w = w / w.sum(-2, keepdim=True).clamp(min=1e-300)
    return (w @ v).numpy(), w.numpy()
