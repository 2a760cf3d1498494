# correct  component: teacher_forcing
import numpy as np

def teacher_forcing_pair(target):
    target = np.asarray(target)
    n = target.shape[1]
    idx = np.arange(n - 1)
    return np.take(target, idx, axis=1), np.take(target, idx + 1, axis=1)
