# expected: fail|exc|crash
# safe-outcome: a file that stops on purpose keeps what it has defined, and is judged by it
# stopped-by: the same values, compared
import sys

import numpy as np


def softmax(x):
    return np.zeros_like(x)


class Odd(BaseException):
    def __str__(self):
        raise RuntimeError


if HINTS["variant"] == 0:
    raise Odd
if HINTS["variant"] == 1:
    sys.exit(0)
if HINTS["variant"] == 2:
    raise GeneratorExit
if HINTS["variant"] == 3:
    raise StopIteration
if HINTS["variant"] == 4:
    raise ExceptionGroup("many", [ValueError(n) for n in range(1000)])
raise KeyboardInterrupt


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)
