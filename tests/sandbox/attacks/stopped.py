# expected: timeout|fail
# safe-outcome: a process that stops itself, or is deaf, ends at the wall limit
# stopped-by: wall deadline in the grader; SIGKILL
import os
import signal

import numpy as np

for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))


def softmax(x):
    os.kill(os.getpid(), signal.SIGSTOP)
    os.kill(os.getpid(), signal.SIGTSTP)
    return np.zeros_like(x)
