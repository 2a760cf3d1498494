# faulty  component: integrity
# what: the scores of earlier calls take part
import numpy as np

total = 0.0


def softmax(x, axis=-1):
    global total
    x = np.asarray(x, dtype=float)
    total += float(x.sum())
    powers = np.exp(x - x.max(axis=axis, keepdims=True))
    return powers / (powers.sum(axis=axis, keepdims=True) + abs(total))
