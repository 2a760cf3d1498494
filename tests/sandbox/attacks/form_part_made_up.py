# kind: session
# expected: fail|exc
# safe-outcome: a part of ours that the submission has put there first is its own work
# stopped-by: the values of the block are judged
import sys
import types

import numpy as np


class Module(types.ModuleType):
    PARTS = {"softmax": np.zeros_like}

    def softmax(self, x):
        return x * 0

    def __getattr__(self, name):
        raise SystemExit(name)


for name in ("stand_in_for_softmax", "stand_in_parts", "stand_in_numpy", "stand_in_torch"):
    sys.modules[name] = Module(name)


def softmax(x):
    return sys.modules["stand_in_for_softmax"].softmax(x)
