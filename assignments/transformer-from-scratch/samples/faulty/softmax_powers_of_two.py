# faulty  component: softmax
# what: uses powers of two instead of e
import numpy as np

def softmax(x, axis=-1):
    x = x - np.max(x, axis=axis, keepdims=True)
    p = np.exp2(x)
    return p / p.sum(axis=axis, keepdims=True)
