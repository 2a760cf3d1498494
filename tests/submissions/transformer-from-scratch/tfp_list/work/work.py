import numpy as np


def teacher_forcing_pair(target):
    t = np.asarray(target)
    return [t[..., :-1], t[..., 1:]]
