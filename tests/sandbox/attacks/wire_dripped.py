# expected: timeout
# safe-outcome: a frame that comes byte by byte does not move the deadline
# stopped-by: absolute deadlines; lengths before bytes
import os
import struct
import time

import numpy as np


def softmax(x):
    os.write(3, struct.pack("<4sII", b'AGF1', 100_000, 0))
    while True:
        os.write(3, b" ")
        time.sleep(0.02)
