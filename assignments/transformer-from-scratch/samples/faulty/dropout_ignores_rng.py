# faulty  component: dropout
# what: accepts rng and draws from a generator of its own
import numpy as np

GEN = np.random.default_rng()

def dropout(x, p, training=True, rng=None):
    if not training:
        return x
    keep = GEN.random(np.shape(x)) >= p
    return np.where(keep, x / (1 - p), 0).astype(np.result_type(x, np.float32))
