# expected: fail|timeout|exc|crash|protocol
# safe-outcome: output past all wrappers, from many threads, blocks nothing and is capped
# stopped-by: the pipe is always drained; 64 KiB are kept
import ctypes
import os
import threading

import numpy as np

libc = ctypes.CDLL(None)


def flood(fd):
    data = b"::error file=x::\x1b[2J\r\n" * 4000
    while True:
        try:
            os.write(fd, data)
        except OSError:
            return


def softmax(x):
    if HINTS["variant"] == 0:
        for fd in (1, 2, 1, 2):
            threading.Thread(target=flood, args=(fd,), daemon=True).start()
    elif HINTS["variant"] == 1:
        for _ in range(2000):
            libc.printf(b"%1000d")
        libc.fflush(None)
        libc.perror(b"LE" b"AK" * 0 + b"x")
    elif HINTS["variant"] == 2:
        os.set_blocking(1, False)
        flood(1)
    return np.zeros_like(x)
