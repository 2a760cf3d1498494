# expected: fail|protocol|exc|crash
# safe-outcome: a child that lies about how much it printed gets only what it printed
# stopped-by: the grader's own cap
import sys

import numpy as np

sys.stdout.buffer.mark = lambda: -(10**30)
sys.stdout.buffer.cap = 1 << 60
sys.stdout.buffer.room = 1 << 60


def softmax(x):
    print("y" * 300_000, flush=True)
    return np.zeros_like(x)
