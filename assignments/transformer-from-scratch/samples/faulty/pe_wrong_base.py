# misconception: pe-wrong-base  component: positional_encoding
import numpy as np


def positional_encoding(max_len, d_model, base=100000.0):
    j = np.arange(d_model)
    inv_freq = base ** (-(j // 2 * 2) / d_model)
    ang = np.arange(max_len)[:, None] * inv_freq
    return np.where(j % 2, np.cos(ang), np.sin(ang))
