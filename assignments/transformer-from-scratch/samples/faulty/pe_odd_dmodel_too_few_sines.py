# misconception: pe-odd-dmodel-crash  component: positional_encoding
import numpy as np

def positional_encoding(max_len, d_model):
    half = d_model // 2
    wavelengths = np.power(10000.0, 2.0 * np.arange(half) / d_model)
    phase = np.divide.outer(np.arange(max_len, dtype=float), wavelengths)
    out = np.empty((max_len, d_model))
    out[:, ::2] = np.sin(phase)
    out[:, 1::2] = np.cos(phase)
    return out[:, :d_model]
