import numpy as np


def positional_encoding(max_len, d_model):
    i = np.arange(d_model)
    a = np.arange(max_len)[:, None] / np.power(10000.0, (i - i % 2) / d_model)
    return np.where(i % 2, np.cos(a), np.sin(a))[None]
