# expected: fail|exc|protocol
# safe-outcome: arrays of odd kinds arrive as plain numbers or not at all, and are judged as such
# stopped-by: exact dtypes on the wire
import numpy as np


class Yes:
    def __eq__(self, other):
        return True

    __le__ = __lt__ = __ge__ = __gt__ = __eq__
    __float__ = __index__ = lambda self: 0
    __sub__ = __rsub__ = __abs__ = lambda self, *other: 0.0


def softmax(x):
    flat = np.zeros(x.shape)
    return (
        np.array(0.25),
        np.full(x.shape, Yes(), dtype=object),
        flat[::-1],
        flat.astype(complex) * 1j,
        flat.view([("real", "f8")]),
        np.array(["1.0"] * x.shape[-1]),
    )[HINTS["variant"]]
