# expected: exc|crash|protocol|timeout|fail
# safe-outcome: builtins that are gone or lie cost only this submission
# stopped-by: own process; exact types on the wire
import builtins

import numpy as np


def softmax(x):
    variant = HINTS["variant"]
    if variant == 0:
        for name in ("len", "type", "isinstance", "issubclass", "bytes", "memoryview", "str", "list", "dict"):
            delattr(builtins, name)
    elif variant == 1:
        builtins.type = lambda *args: float
    elif variant == 2:
        builtins.issubclass = builtins.isinstance = builtins.all = builtins.any = lambda *args: True
    elif variant == 3:
        builtins.len = lambda value: -1
    elif variant == 4:
        vars(builtins).clear()
    else:
        builtins.BaseException = builtins.Exception = ValueError
    return np.zeros_like(x)
