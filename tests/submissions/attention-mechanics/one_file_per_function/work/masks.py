import numpy as np


def causal_mask(n):
    return np.tril(np.ones((n, n), dtype=bool))


def padding_mask(lengths, max_len):
    return np.arange(max_len) < np.asarray(lengths)[:, None]


