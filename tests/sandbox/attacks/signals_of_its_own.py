# expected: fail|exc|crash|timeout|protocol
# safe-outcome: signals that a child sends to itself end or confuse itself only, and are no limit of ours
# stopped-by: verdicts come from how it ended, as the zygote saw it
import os
import signal
import threading

import numpy as np


def softmax(x):
    kind = HINTS["variant"]
    number = (signal.SIGXCPU, signal.SIGKILL, signal.SIGSTOP, signal.SIGSEGV, signal.SIGALRM, signal.SIGSYS)[kind]
    if kind in (4, 5):
        signal.signal(number, lambda *a: os.write(3, b"\0" * 8))
    try:
        signal.raise_signal(number)
        signal.pthread_kill(threading.get_ident(), number)
        os.kill(os.getpid(), number)
    except OSError:
        pass
    return np.zeros_like(x)
