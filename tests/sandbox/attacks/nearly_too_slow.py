# expected: fail|timeout
# safe-outcome: calls that each take almost the whole limit end, and are judged by value
# stopped-by: absolute deadlines; a limit for all
import time

import numpy as np


def softmax(x):
    time.sleep(0.6)
    return np.zeros_like(x)
