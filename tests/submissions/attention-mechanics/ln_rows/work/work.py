import numpy as np


def layer_norm(x, gain, shift, eps=1e-5):
    out = np.empty(x.shape, dtype=np.result_type(x, gain, np.float32))
    for i in np.ndindex(x.shape[:-1]):
        r = x[i]
        out[i] = gain * (r - r.mean()) / np.sqrt(r.var() + eps) + shift
    return out
