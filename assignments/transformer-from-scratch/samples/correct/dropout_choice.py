# correct  component: dropout
import numpy as np

_default = np.random.default_rng()

def dropout(x, p, training=True, rng=None):
    x = np.asarray(x)
    x = x if np.issubdtype(x.dtype, np.floating) else x.astype(float)
    if not training:
        return x
    gen = rng or _default
    scale = gen.choice([0.0, 1.0 / (1.0 - p)], size=x.shape, p=[p, 1.0 - p])
    return x * scale.astype(x.dtype)
