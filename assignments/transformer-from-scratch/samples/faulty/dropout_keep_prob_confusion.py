# misconception: dropout-keep-prob-confusion  component: dropout
import numpy as np


def dropout(x, p, training=True, rng=None):
    """Andrew Ng's inverted dropout"""
    if not training or p == 0:
        return x
    rng = rng if rng is not None else np.random.default_rng()
    d = rng.random(x.shape) < p
    a = np.multiply(x, d)
    return a / p
