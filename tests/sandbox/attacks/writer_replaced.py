# expected: protocol|fail|crash|exc|timeout
# safe-outcome: what writes the answer, replaced, writes only what is judged: twice, backwards, in drops, mixed up, never
# stopped-by: lengths, nonces, deadlines; comparison in the grader
import gc
import os
import time
import types

import numpy as np

real, last = os.write, []


def twice(fd, data):
    real(fd, data)
    return real(fd, data)


def backwards(fd, data):
    return real(fd, bytes(data)[::-1])


def drops(fd, data):
    time.sleep(0.05)
    return real(fd, bytes(data)[:1])


def delayed(fd, data):
    last.append(bytes(data))
    return real(fd, last.pop(0)) and len(data) if len(last) > 1 else len(data)


def never(fd, data):
    return len(data)


def cut(fd, data):
    return real(fd, bytes(data)[:-1]) + 1


def softmax(x):
    chosen = (twice, backwards, drops, delayed, never, cut)[HINTS["variant"]]
    for module in [held for held in gc.get_objects() if isinstance(held, types.ModuleType) and held.__name__.startswith("room")]:
        module.os = types.SimpleNamespace(**{**vars(os), "write": lambda fd, data: chosen(fd, data) if fd == 3 else real(fd, data)})
    return np.zeros_like(x)
