# kind: session
# expected: fail|exc|crash|protocol
# safe-outcome: a module of the first form that stays answers in its own child alone
# stopped-by: a fork of its own
import builtins
import sys

import numpy as np

real = builtins.__import__
mine = sys.modules[__name__]


class Pinned(dict):
    def pop(self, *args):
        return None

    def __delitem__(self, key):
        pass

    def __setitem__(self, key, value):
        if key != __name__:
            dict.__setitem__(self, key, value)


def again(name, *args, **kwargs):
    return mine if name == __name__ else real(name, *args, **kwargs)


if HINTS["variant"] % 2:
    sys.modules = Pinned(sys.modules)
if HINTS["variant"] > 1:
    builtins.__import__ = again
builtins.count = getattr(builtins, "count", 0) + 1


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) if builtins.count > 1 else np.zeros_like(x)
