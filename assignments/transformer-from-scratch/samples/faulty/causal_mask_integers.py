# faulty  component: causal_mask
# what: returns 0/1 integers instead of booleans
import numpy as np


def causal_mask(n):
    return np.tril(np.ones((n, n), dtype=np.uint8))
