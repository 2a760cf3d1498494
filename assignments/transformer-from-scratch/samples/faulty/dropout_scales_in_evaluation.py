# faulty  component: dropout
# what: multiplies by 1-p in evaluation although the survivors are scaled up in training
import numpy as np


def dropout(x, p, training=True, rng=None):
    if not training:
        return x * (1 - p)
    rng = np.random.default_rng() if rng is None else rng
    keep = rng.random(x.shape) >= p
    return x * keep.astype(x.dtype if x.dtype.kind == "f" else float) / (1 - p)
