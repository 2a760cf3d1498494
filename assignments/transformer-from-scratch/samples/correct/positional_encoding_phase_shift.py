# correct  component: positional_encoding
import numpy as np

def positional_encoding(max_len, d_model):
    # cos(a) = sin(a + pi/2), so one sine call does it
    col = np.arange(d_model)
    freq = 10000.0 ** (-(col - col % 2) / d_model)
    phase = (col % 2) * (np.pi / 2)
    return np.sin(np.arange(max_len).reshape(-1, 1) * freq + phase)
