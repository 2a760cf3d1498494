# misconception: pe-halves-not-interleaved  component: positional_encoding
import numpy as np

def positional_encoding(max_len, d_model):
    half = (d_model + 1) // 2
    table = np.zeros((max_len, d_model))
    for k in range(half):
        theta = np.arange(max_len) / 10000.0 ** (2.0 * k / d_model)
        table[:, k] = np.sin(theta)
        if half + k < d_model:
            table[:, half + k] = np.cos(theta)
    return table
