# faulty  component: softmax
# what: subtracts the largest absolute value instead of the maximum, so very negative rows underflow to NaN
import numpy as np

def softmax(x, axis=-1):
    x = np.array(x)
    if x.dtype.kind in "iu":
        x = x.astype(np.float64)
    c = np.max(np.abs(x), axis=axis, keepdims=True)
    e = np.exp(x - c)
    return e / np.sum(e, axis=axis, keepdims=True)
