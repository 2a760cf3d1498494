# expected: fail|protocol|exc|crash|timeout
# safe-outcome: a flood of output that never stops, and lies about how much of it there is, neither holds the grader up nor fills it
# stopped-by: it reads no further than the frame's own cap, and throws the rest away
import os
import sys
import threading

import numpy as np

COUNTS = (1 << 62, -(1 << 62), True, "9" * 4000, 1e300, [])


def flood():
    while True:
        os.write(1, b"x" * 65536)


def softmax(x):
    if threading.active_count() == 1:
        for _ in range(3):
            threading.Thread(target=flood, daemon=True).start()
        sys.stdout.buffer.mark = lambda: COUNTS[HINTS["variant"]]
    return np.zeros_like(x)
