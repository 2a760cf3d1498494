# misconception: causal-mask-transposed  component: causal_mask
import numpy as np

def causal_mask(n):
    q, k = np.meshgrid(np.arange(n), np.arange(n))
    return k <= q
