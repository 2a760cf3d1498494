# expected: fail|exc|protocol
# safe-outcome: a module whose class answers for its names differently each time is judged by the values that come back
# stopped-by: values are judged outside; fresh children
import sys
import types

import numpy as np


class Module(types.ModuleType):
    asked = 0

    @property
    def softmax(self):
        Module.asked += 1
        return lambda x: np.ones_like(x) if Module.asked % 2 else x

    def __getattribute__(self, name):
        if name == "__dict__":
            return {"softmax": lambda x: x, "LEAK" * 999: 1}
        return super().__getattribute__(name)

    def __dir__(self):
        return ["softmax", 5, None, "x" * 99999]


def softmax(x):
    return np.zeros_like(x)


module = sys.modules.get(__name__)
if module is not None:
    module.__class__ = Module
__getattr__ = lambda name: softmax
__path__ = ["/"]
__all__ = range(10**9)
