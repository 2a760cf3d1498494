# faulty  component: positional_encoding
# what: the exponent is i/d_model instead of 2i/d_model
import numpy as np


def positional_encoding(max_len, d_model):
    i = np.arange(d_model) // 2
    angle = np.arange(max_len)[:, None] / np.power(10000.0, i / d_model)
    angle[:, ::2], angle[:, 1::2] = np.sin(angle[:, ::2]), np.cos(angle[:, 1::2])
    return angle
