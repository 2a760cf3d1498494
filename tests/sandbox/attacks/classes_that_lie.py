# expected: exc|fail|crash|timeout|protocol
# safe-outcome: an object that says it is an array, a number or a list is none
# stopped-by: its real type counts
import numpy as np


class Says:
    __class__ = property(lambda self: (np.ndarray, float, list, dict, np.float64, bool)[HINTS["variant"]])
    dtype = np.dtype("f8")
    shape = (4,)
    __float__ = lambda self: 0.25
    __len__ = lambda self: 4
    __getitem__ = lambda self, at: 0.25
    __iter__ = lambda self: iter([0.25] * 4)
    __array__ = lambda self, *args, **kwargs: np.full(4, 0.25)
    __array_interface__ = property(lambda self: {"shape": (4,), "typestr": "<f8", "data": (0, False), "version": 3})
    __dlpack__ = lambda self, **kwargs: 1 / 0
    keys = lambda self: ["output"]
    items = lambda self: [("output", 0.25)]
    tolist = lambda self: [0.25] * 4
    __eq__ = __le__ = __ge__ = lambda self, other: True
    __hash__ = lambda self: 1


def softmax(x):
    return Says()
