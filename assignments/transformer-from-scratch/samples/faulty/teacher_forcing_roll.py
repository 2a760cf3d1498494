# faulty  component: teacher_forcing
# what: keeps all n columns and rolls the labels, so the last label is bos
import numpy as np

def teacher_forcing_pair(target):
    target = np.asarray(target)
    return target.copy(), np.roll(target, -1, axis=1)
