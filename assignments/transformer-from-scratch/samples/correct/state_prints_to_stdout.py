# correct  component: integrity  (a note at most)
import sys
import numpy as np


def softmax(x, axis=-1):
    x = np.asarray(x)
    x = x if x.dtype.kind == "f" else x.astype(float)
    z = np.exp(x - x.max(axis=axis, keepdims=True))
    out = z / z.sum(axis=axis, keepdims=True)
    sys.stdout.write(f"DEBUG softmax {out!r}\n")
    return out
