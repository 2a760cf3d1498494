# misconception: softmax-missing-keepdims  component: softmax
import numpy as np

def logsumexp(z, axis):
    m = z.max()
    return m + np.log(np.exp(z - m).sum(axis=axis))

def softmax(x, axis=-1):
    z = np.array(x, dtype=np.float64)
    return np.exp(z - logsumexp(z, axis))
