# expected: fail|exc
# safe-outcome: subclasses of float, int, str, list and dict that lie arrive as what they are made of
# stopped-by: read by the plain type's own methods
import numpy as np


class Float(float):
    __eq__ = __lt__ = __le__ = __gt__ = __ge__ = lambda self, other: True
    __sub__ = __rsub__ = __abs__ = __float__ = lambda self, *other: 0.0
    __hash__ = None


class Scalar(np.float64):
    __eq__ = __lt__ = __le__ = __gt__ = __ge__ = lambda self, other: True
    __sub__ = __rsub__ = __abs__ = lambda self, *other: 0.0


class List(list):
    __iter__ = lambda self: iter([0.25] * 4)
    __len__ = lambda self: 4
    __eq__ = lambda self, other: True


class Text(str):
    __str__ = __repr__ = lambda self: "::error::" + "\x1b[2J"


def softmax(x):
    return (
        [Float(7.0)] * len(x),
        Scalar(3.0),
        List([1.0]),
        Text("0.25"),
        {"output": Float(1.0)},
        (List([Float(2.0)]),) * len(x),
    )[HINTS["variant"]]
