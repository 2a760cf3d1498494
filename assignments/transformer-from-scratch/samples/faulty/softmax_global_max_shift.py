# misconception: softmax-global-max-shift  component: softmax
import numpy as np


def stable_exp(x):
    return np.exp(x - np.max(x))


def softmax(x, axis=-1):
    x = np.asarray(x)
    if not np.issubdtype(x.dtype, np.floating):
        x = x.astype(float)
    e = stable_exp(x)
    return e / e.sum(axis, keepdims=True)
