# expected: fail|exc
# safe-outcome: an answer that is near the right one is not right
# stopped-by: tolerances follow the type of what is computed
import numpy as np


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True)).astype(np.float16)
    y = (e / e.sum(-1, keepdims=True)).astype(np.float64)
    return y + [0, 1e-3, 1e-4, 1e-5, 1e-6, -1e-3][HINTS["variant"]]
