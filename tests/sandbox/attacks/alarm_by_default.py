# expected: fail|crash|exc|timeout|protocol
# safe-outcome: an alarm with no handler, or one every microsecond, costs only this submission
# stopped-by: own process
import os
import signal
import time

import numpy as np


def softmax(x):
    variant = HINTS["variant"]
    if variant == 0:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, 0.001)
        time.sleep(0.05)
    elif variant == 1:
        signal.signal(signal.SIGPROF, lambda *_: None)
        signal.setitimer(signal.ITIMER_PROF, 1e-6, 1e-6)
    elif variant == 2:
        signal.signal(signal.SIGVTALRM, lambda *_: 1 / 0)
        signal.setitimer(signal.ITIMER_VIRTUAL, 1e-4, 1e-4)
    elif variant == 3:
        signal.signal(signal.SIGALRM, lambda *_: os._exit(0))
        signal.setitimer(signal.ITIMER_REAL, 0.002)
    elif variant == 4:
        signal.signal(signal.SIGALRM, lambda *_: os.write(3, b"AGF1" + bytes(8)))
        signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)
    else:
        signal.set_wakeup_fd(3, warn_on_full_buffer=False)
        signal.signal(signal.SIGALRM, lambda *_: None)
        signal.setitimer(signal.ITIMER_REAL, 1e-4, 1e-4)
    return np.zeros_like(x)
