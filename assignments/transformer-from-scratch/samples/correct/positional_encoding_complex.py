# correct  component: positional_encoding
# e^{i w pos}: the imaginary part is the sine, the real part the cosine
import numpy as np


def positional_encoding(max_len, d_model):
    pairs = (d_model + 1) // 2
    w = 1.0 / np.power(10000.0, 2.0 * np.arange(pairs) / d_model)
    z = np.exp(1j * np.arange(max_len)[:, None] * w[None, :])
    table = np.empty((max_len, 2 * pairs))
    table[:, 0::2] = z.imag
    table[:, 1::2] = z.real
    return np.ascontiguousarray(table[:, :d_model])
