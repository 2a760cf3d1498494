# expected: fail|exc|crash|timeout
# safe-outcome: what is no function, or gives back no value, is an error and no answer
# stopped-by: exact types on the wire
import functools
import types

import numpy as np


async def waits(x):
    return x


def yields(x):
    yield from x


class Class:
    def __init__(self, x):
        self.x = x

    def __array__(self, *args, **kwargs):
        return np.ones(4) / 4

    def __iter__(self):
        return iter([0.25] * 4)


class Meta(type):
    def __call__(cls, x):
        return cls

    def __instancecheck__(cls, other):
        return True

    __subclasscheck__ = __instancecheck__
    __name__ = property(lambda cls: 1 / 0)


class Named(metaclass=Meta):
    pass


softmax = (waits, yields, Class, Named, functools.singledispatch(yields), types.SimpleNamespace(__call__=yields))[HINTS["variant"]]
