# faulty  component: positional_encoding
# what: steps through even numbers and multiplies by two again, so the exponent is 4i/d_model
import numpy as np

def positional_encoding(max_len, d_model):
    pe = np.zeros((max_len, d_model))
    for pos in range(max_len):
        for i in range(0, d_model, 2):
            pe[pos, i] = np.sin(pos / 10000 ** (2 * i / d_model))
            if i + 1 < d_model:
                pe[pos, i + 1] = np.cos(pos / 10000 ** (2 * i / d_model))
    return pe
