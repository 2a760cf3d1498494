import numpy as np
from attention import scaled_dot_product_attention


def multi_head_attention(query, key, value, weights, num_heads, mask=None):
    d_model = query.shape[-1]
    if d_model % num_heads:
        raise ValueError("num_heads must divide d_model")
    d_k = d_model // num_heads

    def split(x):
        x = x.reshape(*x.shape[:-1], num_heads, d_k)
        return np.swapaxes(x, -3, -2)

    q, k, v = (split(x @ weights[w]) for x, w in ((query, "w_q"), (key, "w_k"), (value, "w_v")))
    if mask is not None and np.ndim(mask) == 3:
        mask = mask[:, None]
    out, _ = scaled_dot_product_attention(q, k, v, mask)
    out = np.swapaxes(out, -3, -2)
    return out.reshape(*out.shape[:-2], d_model) @ weights["w_o"]
