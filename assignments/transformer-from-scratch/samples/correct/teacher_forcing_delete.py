# correct  component: teacher_forcing
import numpy as np


def teacher_forcing_pair(target):
    dec_in = np.delete(target, -1, axis=1)
    labels = np.delete(target, 0, axis=1)
    return dec_in, labels
