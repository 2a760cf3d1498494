# faulty  component: softmax
# what: subtracts the mean instead of the maximum, so widely spread scores overflow
import numpy as np


def softmax(x, axis=-1):
    mu = np.mean(x, axis=axis, keepdims=True)
    numer = np.exp(x - mu)
    return numer / np.sum(numer, axis=axis, keepdims=True)
