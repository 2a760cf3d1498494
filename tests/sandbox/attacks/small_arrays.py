# expected: fail|exc|protocol|crash
# safe-outcome: as many small arrays as fit do not make the grader grow
# stopped-by: caps on one tree and on all of them
import numpy as np


def softmax(x):
    return [np.zeros(0)] * 65_000
