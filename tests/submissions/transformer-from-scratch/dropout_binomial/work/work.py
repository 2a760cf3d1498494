import numpy as np


def dropout(x, p, *, training=True, rng=None):
    if not training:
        return np.array(x)
    rng = rng or np.random.default_rng()
    return np.where(rng.binomial(1, 1 - p, size=x.shape).astype(bool), x / (1 - p), 0.0).astype(x.dtype)
