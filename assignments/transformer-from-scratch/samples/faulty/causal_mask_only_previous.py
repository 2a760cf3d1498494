# faulty  component: causal_mask
# what: each position sees only itself and the one before it, not the whole past
import numpy as np

def causal_mask(n):
    m = np.eye(n, dtype=bool)
    for i in range(1, n):
        m[i, i - 1] = True
    return m
