# expected: protocol|fail|crash|exc|timeout
# safe-outcome: a numpy of the submission's own changes only the bytes that it sends
# stopped-by: arrays are made anew in the grader
import sys
import types

import numpy as np


class Lie:
    char, str, dtype, nbytes, shape, ndim, size = "d", "<f8", None, -(1 << 40), (4,), 1, 4

    def astype(self, *args, **kwargs):
        return self

    def newbyteorder(self, *args):
        return self

    def tobytes(self):
        return bytes(32) * 1000

    def tolist(self):
        return [0.25] * 4


Lie.dtype = Lie()


class Other(Lie):
    str, shape = "|O", (2**62, 2**62)


def softmax(x):
    made = (Lie, Other)[HINTS["variant"] % 2]()
    fake = types.ModuleType("numpy")
    fake.ndarray = fake.generic = np.ndarray
    fake.array = fake.asarray = lambda *args, **kwargs: made
    if HINTS["variant"] < 4:
        sys.modules["numpy"] = fake
    else:
        del sys.modules["numpy"]
    return np.zeros_like(x)
