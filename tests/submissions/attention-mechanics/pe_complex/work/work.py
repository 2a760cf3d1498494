import numpy as np


def positional_encoding(max_len, d_model):
    i = np.arange(0, d_model, 2)
    z = np.exp(1j * np.arange(max_len)[:, None] / 10000 ** (i / d_model))
    return np.stack([z.imag, z.real], -1).reshape(max_len, -1)[:, :d_model]
