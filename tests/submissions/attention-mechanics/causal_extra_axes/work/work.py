import numpy as np


def causal_mask(n):
    return np.tril(np.ones((1, 1, n, n), dtype=bool))
