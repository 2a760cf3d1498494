# correct  component: dropout
import numpy as np


def dropout(x, p, training=True, rng=None):
    if training is False or p == 0.0:
        return np.array(x, copy=True)
    if rng is None:
        rng = np.random.default_rng()
    keep = 1.0 - p
    mask = rng.binomial(1, keep, size=np.shape(x)).astype(bool)
    x = np.asarray(x)
    if x.dtype.kind != "f":
        x = x.astype(np.float64)
    y = x / keep
    y[~mask] = 0
    return y
