# expected: protocol|fail|crash|exc|timeout
# safe-outcome: standard output that becomes the channel, and a channel that becomes the output, are no answers
# stopped-by: own descriptors; lengths and nonces
import faulthandler
import os
import sys

import numpy as np


def softmax(x):
    variant = HINTS["variant"]
    if variant == 0:
        os.dup2(3, 1)
        print("AGF1" + "\0" * 8)
    elif variant == 1:
        os.dup2(1, 3)
    elif variant == 2:
        sys.stdout = open(3, "w", closefd=False)
        print('{"n": "0", "r": [{"s": "value", "v": [[0.25, 0.25, 0.25, 0.25]], "f": null, "o": 0}]}', flush=True)
    elif variant == 3:
        faulthandler.dump_traceback(file=3)
    elif variant == 4:
        faulthandler.dump_traceback_later(0.001, repeat=True, file=3)
        sum(range(10**6))
    else:
        os.dup2(0, 3)
    return np.zeros_like(x)
