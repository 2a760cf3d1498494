# expected: fail|exc|crash|protocol
# safe-outcome: a type of numbers that says what it likes of itself is sent as numbers or not at all
# stopped-by: exact types on the wire
import numpy as np


class Meta(type):
    def __instancecheck__(cls, other):
        return True

    def __eq__(cls, other):
        return True

    __hash__ = type.__hash__


class Number(float, metaclass=Meta):
    def __float__(self):
        return float("nan")

    def __mul__(self, other):
        return 1.0


class Array(np.ndarray):
    dtype = shape = size = ndim = property(lambda self: (4,))

    def tobytes(self, *args):
        return b""


def softmax(x):
    kinds = [
        lambda: Number(0.25),
        lambda: [Number(0.25)] * 4,
        lambda: np.zeros(4).view(Array),
        lambda: x.view(Array),
        lambda: np.array([Number(0.25)] * 4, dtype=object),
        lambda: {Number(1): x},
    ]
    return kinds[HINTS["variant"]]()
