# faulty  component: positional_encoding
# what: cosine in the even columns and sine in the odd ones
import numpy as np


def positional_encoding(max_len, d_model):
    pe = np.zeros((max_len, d_model))
    pos = np.arange(max_len)[:, None]
    div = np.exp(np.arange(0, d_model, 2) * (-np.log(1e4) / d_model))
    pe[:, 0::2] = np.cos(pos * div)
    pe[:, 1::2] = np.sin(pos * div)[:, : d_model // 2]
    return pe
