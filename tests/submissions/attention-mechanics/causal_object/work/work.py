import numpy as np


def causal_mask(n):
    return np.array([[bool(j <= i) for j in range(n)] for i in range(n)], dtype=object)
