# attack: own-output-counts
# kind: module
# expected: fail|protocol|exc|crash
# safe-outcome: a child that lies about how much it printed gets only what it printed
# stopped-by: the grader's own cap
import sys

import numpy as np

sys.stdout.buffer.raw.mark = lambda: -(10**30)
sys.stdout.buffer.raw.cap = 1 << 60
sys.stdout.buffer.raw.room = 1 << 60


def softmax(x):
    print("y" * 300_000, flush=True)
    return np.zeros_like(x)
