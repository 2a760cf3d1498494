# misconception: state-reseeds-global-rng  component: integrity
import random
import numpy as np

SEED = 42


def set_seed():
    random.seed(SEED)
    np.random.seed(SEED)


def dropout(x, p, training=True, rng=None):
    if not training:
        return x
    set_seed()      # reproducible
    source = rng if rng is not None else np.random
    mask = source.uniform(0, 1, x.shape) > p
    return np.where(mask, x / (1 - p), 0)
