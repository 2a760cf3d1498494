# expected: fail|exc|crash|timeout|memory
# safe-outcome: answers as large as one frame may be do not add up in the grader
# stopped-by: a cap on all answers together
import numpy as np


def softmax(x):
    return np.zeros((15 << 20) // 8)
