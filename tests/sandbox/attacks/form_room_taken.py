# kind: session
# expected: fail|exc|crash|timeout|protocol
# safe-outcome: memory, depth and descriptors that the first form used up are no fault of another child
# stopped-by: a fresh child where the next form does not load
import os
import resource
import sys

import numpy as np

kept = []


def softmax(x):
    if HINTS["variant"] == 0 and not kept:
        while True:
            try:
                kept.append(bytearray(32 << 20))
            except MemoryError:
                break
    elif HINTS["variant"] == 1:
        sys.setrecursionlimit(40)
    elif HINTS["variant"] == 2:
        try:
            while True:
                kept.append(os.dup(1))
        except OSError:
            pass
    elif HINTS["variant"] == 3:
        resource.setrlimit(resource.RLIMIT_AS, (resource.getrlimit(resource.RLIMIT_AS)[1] // 64,) * 2)
    elif HINTS["variant"] == 4:
        os.close(0), os.close(1), os.close(2)
    return np.zeros_like(x)
