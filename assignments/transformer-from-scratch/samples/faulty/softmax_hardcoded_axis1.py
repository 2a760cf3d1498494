# misconception: softmax-hardcoded-axis1  component: softmax
import numpy as np

def softmax(x, axis=-1):
    x = np.array(x, dtype=np.float64) if np.array(x).dtype.kind == "i" else np.array(x)
    if x.ndim < 2:
        e = np.exp(x - np.max(x))
        return e / np.sum(e)
    # rows of the matrix
    e = np.exp(x - np.max(x, axis=1)[:, None])
    return e / np.sum(e, axis=1)[:, None]
