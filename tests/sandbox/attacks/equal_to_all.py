# expected: exc|fail
# safe-outcome: an object that equals everything does not cross the wire
# stopped-by: exact types on the wire; comparison in the grader
import numpy as np


class Yes(np.ndarray):
    __eq__ = lambda self, other: True
    __array_ufunc__ = lambda self, *a, **k: True
    shape = property(lambda self: (4,))


def softmax(x):
    return np.zeros(3).view(Yes)
