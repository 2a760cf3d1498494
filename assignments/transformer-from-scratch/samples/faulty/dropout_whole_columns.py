# faulty  component: dropout
# what: draws one number per column, so whole columns vanish together
import numpy as np


def dropout(x, p, training=True, rng=None):
    if training is False:
        return x
    if rng is None:
        rng = np.random.default_rng()
    mask = rng.random(x.shape[-1]) > p
    return np.where(mask, x / (1.0 - p), 0.0).astype(np.result_type(x, np.float32))
