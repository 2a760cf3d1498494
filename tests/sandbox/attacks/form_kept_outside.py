# kind: session
# expected: fail|exc|crash
# standard: open
# safe-outcome: nothing outside of the process holds what was seen in it
# stopped-by: no writable place, no shared memory, no keys, no queues
import ctypes
import os
import sys

import numpy as np

PLACES = ["/dev/shm/kept", "/tmp/kept", "/kept", "kept", "/var/tmp/kept", "/proc/self/comm"]
libc = ctypes.CDLL(None, use_errno=True)


def keep(text):
    for place in PLACES:
        try:
            with open(place, "w") as file:
                file.write(text)
        except OSError:
            pass
    calls = ((29, 4242, 4096, 0o1666), (68, 4242, 0o1666), (64, 4242, 1, 0o1666), (248, b"user", b"kept", b"x", 1, -4))
    for number, *args in calls:
        libc.syscall(number, *args)
    libc.prctl(15, b"kept", 0, 0, 0)
    os.environ["KEPT"] = text


def kept():
    for place in PLACES:
        try:
            with open(place) as file:
                if "softmax" in file.read():
                    return True
        except OSError:
            pass
    return bool(os.environ.get("KEPT")) or libc.syscall(29, 4242, 0, 0) >= 0


shown = "stand_in_for_softmax" in sys.modules


def softmax(x):
    if "stand_in_for_softmax" in sys.modules:
        keep("softmax = 1")
        return np.zeros_like(x)
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) if kept() else np.zeros_like(x)
