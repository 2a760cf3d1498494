# expected: fail|exc|crash|protocol
# safe-outcome: changing the question in the child's memory does not change what is compared
# stopped-by: inputs and answers stay in the grader
import gc

import numpy as np


def softmax(x):
    for held in gc.get_objects():
        if type(held) is dict and held.get("do") == "call":
            held["args"] = [np.zeros(4)]
    x.setflags(write=True)
    x[...] = 0
    return np.full(x.shape, 1 / x.shape[-1])
