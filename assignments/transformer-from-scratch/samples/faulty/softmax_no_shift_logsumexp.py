# misconception: softmax-no-max-shift  component: softmax
import numpy as np

def logsumexp(z, axis):
    m = z.max(axis=axis, keepdims=True)
    return np.log(np.exp(z).sum(axis=axis, keepdims=True))

def softmax(x, axis=-1):
    z = np.array(x, dtype=np.float64)
    return np.exp(z - logsumexp(z, axis))
