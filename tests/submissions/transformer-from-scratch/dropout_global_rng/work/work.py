import numpy as np


def dropout(x, p, training=True, rng=None):
    if not training or p == 0:
        return x
    rng = rng if rng is not None else np.random
    keep = (rng.random(x.shape) if hasattr(rng, 'random') else np.random.rand(*x.shape)) >= p
    return x * keep / (1 - p)
