# expected: timeout|crash
# safe-outcome: the signal of the processor limit cannot be caught, put off or prolonged
# stopped-by: the hard limit kills; the wall limit
import resource
import signal

import numpy as np


def softmax(x):
    return np.zeros_like(x)


def softmax(x):
    for number in range(1, 65):
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            pass
    for limit in ((1 << 20, 1 << 20), (resource.RLIM_INFINITY,) * 2):
        try:
            resource.setrlimit(resource.RLIMIT_CPU, limit)
        except (OSError, ValueError):
            pass
    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
    while True:
        pass
