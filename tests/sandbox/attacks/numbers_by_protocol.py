# expected: fail|exc|crash
# safe-outcome: objects that turn into a number, an index, bytes or an iterator only when they are asked are no numbers
# stopped-by: exact types on the wire
import numpy as np


class Lazy:
    asked = 0

    def __init__(self, x):
        self.x = x

    def _value(self):
        Lazy.asked += 1
        e = np.exp(self.x - self.x.max())
        return e / e.sum()

    def __array__(self, dtype=None, copy=None):
        return self._value() * (2 if Lazy.asked % 2 else 1)

    def __iter__(self):
        while True:
            yield self._value()[0]

    def __len__(self):
        return 1 << 40

    def __getitem__(self, at):
        return self._value()[0]

    def __float__(self):
        return float("nan")

    __index__ = __int__ = lambda self: 1 << 70
    __bytes__ = lambda self: b"x" * (1 << 20)
    __array_interface__ = {"shape": (4,), "typestr": "<f8", "data": (4096, False), "version": 3}
    shape, dtype, ndim, size, nbytes = (4,), np.dtype(float), 1, 4, 32
    tobytes = tolist = lambda self, *_: b"?"


def softmax(x):
    kind, one = HINTS["variant"], Lazy(x)
    return (one, [one] * 3, (one, one), {"output": one, one: 1}, np.array([one, one], dtype=object), [x * 0, one])[kind]
