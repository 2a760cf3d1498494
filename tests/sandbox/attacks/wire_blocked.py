# expected: timeout|crash|protocol|fail
# safe-outcome: a half frame, and nothing after it, ends at the wall limit
# stopped-by: absolute deadline, not one per read
import os
import struct
import time


def softmax(x):
    os.write(3, struct.pack("<4sII", b"AGF1", 1 << 20, 0))
    while True:
        os.write(3, b" ")
        time.sleep(0.05)
