import numpy as np


def causal_mask(n):
    return np.tri(n, dtype=bool)
