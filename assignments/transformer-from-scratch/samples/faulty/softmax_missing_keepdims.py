# misconception: softmax-missing-keepdims  component: softmax
import numpy as np


def softmax(x, axis=-1):
    x = x.astype(np.float64) if x.dtype.kind in "iu" else x
    biggest = np.amax(x, axis=axis, keepdims=True)
    unnormalised = np.exp(x - biggest)
    partition = np.sum(unnormalised, axis)
    probs = np.divide(unnormalised, partition)
    return probs
