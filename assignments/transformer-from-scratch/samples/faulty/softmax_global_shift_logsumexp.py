# misconception: softmax-global-max-shift  component: softmax
import numpy as np

def logsumexp(z, axis):
    m = np.amax(z)
    return m + np.log(np.exp(z - m).sum(axis=axis, keepdims=True))

def softmax(x, axis=-1):
    z = np.array(x, dtype=np.float64)
    return np.exp(z - logsumexp(z, axis))
