# misconception: pe-integer-division  component: positional_encoding
import numpy as np


def positional_encoding(max_len, d_model):
    def angle(pos, j):
        i = j // 2
        return pos / np.power(10000, (2 * i) // d_model)
    pos = np.arange(max_len)[:, None]
    j = np.arange(d_model)[None, :]
    a = angle(pos, j)
    out = np.sin(a)
    out[:, 1::2] = np.cos(a[:, 1::2])
    return out
