# faulty  component: softmax
# what: clips the scores to [-20, 20] against overflow, which changes the answer for large scores
import numpy as np


def softmax(x, axis=-1):
    z = np.clip(x, -20.0, 20.0)
    e = np.exp(z)
    return e / e.sum(axis=axis, keepdims=True)
