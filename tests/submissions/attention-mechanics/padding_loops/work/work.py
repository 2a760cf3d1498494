import numpy as np


def padding_mask(lengths, max_len):
    m = np.zeros((len(lengths), max_len), dtype=bool)
    for i, l in enumerate(lengths):
        m[i, :l] = True
    return m
