# expected: fail|timeout|crash|exc
# safe-outcome: threads that stay busy after the answer are gone with the child
# stopped-by: SIGKILL; a limit on threads
import hashlib
import threading

import numpy as np


def busy():
    while True:
        hashlib.sha256(b"x" * 4096).digest()


def softmax(x):
    for _ in range(3):
        threading.Thread(target=busy, daemon=True).start()
    return np.zeros_like(x)
