# correct  component: softmax
import numpy as np

def softmax(x, axis=-1):
    x = np.asarray(x)
    dtype = x.dtype if np.issubdtype(x.dtype, np.floating) else np.float64
    moved = np.moveaxis(x, axis, 0).astype(dtype)   # astype copies, so the caller's array is safe
    moved -= moved.max(0)
    np.exp(moved, out=moved)
    moved /= moved.sum(0)
    return np.moveaxis(moved, 0, axis)
