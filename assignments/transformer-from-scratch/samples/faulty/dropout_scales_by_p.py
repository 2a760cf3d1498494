# faulty  component: dropout
# what: survivors are divided by p instead of by 1-p
import numpy as np

def dropout(x, p, training=True, rng=None):
    if not training or p == 0:
        return x
    gen = np.random.default_rng() if rng is None else rng
    dropped = gen.random(x.shape) < p
    return np.where(dropped, 0.0, x / p).astype(np.result_type(x, np.float32))
