# faulty  component: softmax
# what: returns the logarithm of the softmax instead of the softmax
import numpy as np


def softmax(x, axis=-1):
    x = np.asarray(x)
    x = x.astype(float) if x.dtype.kind != "f" else x
    shifted = x - x.max(axis=axis, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=axis, keepdims=True))
