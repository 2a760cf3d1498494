# faulty  component: causal_mask
# what: returns shape (1, n, n) instead of (n, n)
import numpy as np


def causal_mask(n):
    attn_shape = (1, n, n)
    subsequent = np.triu(np.ones(attn_shape), k=1).astype("uint8")
    return subsequent == 0
