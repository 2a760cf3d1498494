# expected: fail|exc|timeout|crash
# safe-outcome: iterators without end and sequences of a billion are not walked to their end
# stopped-by: exact types on the wire; deadlines
import itertools

import numpy as np


def softmax(x):
    return (itertools.count(), range(10**12), iter(lambda: x, None), (x for _ in itertools.repeat(1)), [itertools.cycle([x])], map(np.exp, itertools.repeat(x)))[HINTS["variant"]]
