import numpy as np


def causal_mask(n):
    return np.matrix(np.tri(n, dtype=bool))
