# expected: protocol|fail|crash|exc
# safe-outcome: a frame that a finalizer, a weak reference, the collector or the end of the interpreter writes is no answer
# stopped-by: one frame for each question
import atexit
import gc
import json
import os
import struct
import sys
import weakref

import numpy as np

nonces = []


def write(*_):
    for nonce in nonces[-1:]:
        body = json.dumps({"n": nonce, "r": [{"s": "value", "v": [[0.25] * 4], "f": None, "o": 0}]}).encode()
        os.write(3, struct.pack("<4sII", b"AGF1", len(body), 0) + body)


class Late:
    def __del__(self):
        write()


def softmax(x):
    frame = sys._getframe()
    while frame and "tree" not in frame.f_locals:
        frame = frame.f_back
    nonces.append(frame.f_locals["tree"]["n"])
    variant = HINTS["variant"]
    if variant == 0:
        atexit.register(write)
    elif variant == 1:
        late = Late()
        late.itself = late
    elif variant == 2:
        weakref.finalize(np.ndarray, write)
    elif variant == 3:
        gc.callbacks.append(write)
        gc.set_threshold(1)
    elif variant == 4:
        sys.unraisablehook = write
    else:
        Late()
    return np.zeros_like(x)
