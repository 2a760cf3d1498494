# correct  component: causal_mask
import numpy as np


def causal_mask(n):
    pos = np.arange(n)
    return pos[None, :] <= pos[:, None]
