import numpy as np


def causal_mask(n):
    return np.logical_not(np.tri(n, k=-1, dtype=bool).T)
