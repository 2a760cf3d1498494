# misconception: dropout-no-rescaling  component: dropout
import numpy as np


def dropout(x, p, training=True, rng=None):
    if not training:
        return x
    if rng is None:
        rng = np.random.default_rng()
    out = x * 1.0
    out[rng.uniform(size=x.shape) < p] = 0
    return out
