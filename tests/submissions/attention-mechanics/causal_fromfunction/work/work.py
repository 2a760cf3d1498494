import numpy as np


def causal_mask(n):
    return np.fromfunction(lambda i, j: i >= j, (n, n))
