# expected: fail|timeout|exc
# safe-outcome: output without a line end, in bytes that are no text, from threads that go on, is capped
# stopped-by: a drained pipe with a cap
import os
import sys
import threading
import time

import numpy as np


def drip():
    while True:
        os.write(2, b"\xff\xfe\x00\x1b]0;")
        time.sleep(0.001)


threading.Thread(target=drip, daemon=True).start()


def softmax(x):
    for _ in range(100):
        os.write(1, b"\x80" * 65536)
    sys.stdout.write("x" * 1_000_000)
    print(end="\r")
    return np.zeros_like(x)
