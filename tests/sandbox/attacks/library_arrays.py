# expected: fail|exc|crash|timeout
# safe-outcome: the array classes of libraries arrive as what their memory holds
# stopped-by: exact types on the wire
import array
import ctypes
import decimal
import fractions
from collections import OrderedDict, UserList, defaultdict, namedtuple

import numpy as np


class Shown(np.ndarray):
    def __array_finalize__(self, other):
        self.answer = getattr(other, "answer", None)

    def __array_wrap__(self, *args, **kwargs):
        return 1 / 0

    def __buffer__(self, flags):
        return memoryview(np.full(4, 0.25))

    dtype = property(lambda self: 1 / 0)
    shape = property(lambda self: (4,))
    tobytes = tolist = astype = copy = lambda self, *args, **kwargs: 1 / 0


def softmax(x):
    zeros = np.zeros_like(x)
    kinds = [
        zeros.view(np.matrix), zeros.view(Shown), zeros.view(np.recarray), array.array("d", zeros), (ctypes.c_double * 4)(),
        [decimal.Decimal("0.25")] * len(x), [fractions.Fraction(1, 4)] * len(x), UserList([0.25] * len(x)), memoryview(zeros),
        OrderedDict(output=zeros), defaultdict(lambda: zeros), namedtuple("Both", "output weights")(zeros, zeros), range(4), {0.25}, bytes(4),
    ]
    return kinds[(HINTS["variant"] * 3 + len(x)) % len(kinds)]
