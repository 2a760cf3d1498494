# misconception: causal-mask-additive-float  component: causal_mask
import numpy as np


def causal_mask(n):
    m = np.full((n, n), -1e9)
    m = np.triu(m, 1)
    return m
