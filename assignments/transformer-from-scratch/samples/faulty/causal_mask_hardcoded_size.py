# misconception: causal-mask-hardcoded-size  component: causal_mask
import numpy as np

# block_size from the tutorial
block_size = 128
bias = np.tri(block_size) > 0


def causal_mask(n):
    return bias[:n, :n].copy()
