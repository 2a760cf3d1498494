# misconception: causal-mask-leaks-one-future  component: causal_mask
import numpy as np


def causal_mask(n):
    i = np.arange(n)
    return i[:, None] + 1 >= i
