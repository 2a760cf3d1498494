# faulty  component: positional_encoding
# what: counts positions from 1
import math
import numpy as np


def positional_encoding(max_len, d_model):
    table = np.zeros((max_len, d_model))
    for pos in range(1, max_len + 1):
        for k in range(d_model):
            a = pos / 10000 ** ((k - k % 2) / d_model)
            table[pos - 1, k] = math.cos(a) if k % 2 else math.sin(a)
    return table
