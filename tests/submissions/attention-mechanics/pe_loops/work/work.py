import numpy as np


def positional_encoding(max_len, d_model):
    import math
    pe = [[0.0] * d_model for _ in range(max_len)]
    for p in range(max_len):
        for i in range(d_model):
            a = p / 10000 ** (2 * (i // 2) / d_model)
            pe[p][i] = math.sin(a) if i % 2 == 0 else math.cos(a)
    return pe
