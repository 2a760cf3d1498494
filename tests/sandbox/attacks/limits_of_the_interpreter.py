# expected: fail|exc|crash|timeout|protocol
# safe-outcome: recursion, digits, switch interval and collector set to extremes cost only this submission
# stopped-by: own process
import gc
import sys
import threading

import numpy as np


def softmax(x):
    variant = HINTS["variant"]
    if variant == 0:
        sys.setrecursionlimit(60)
    elif variant == 1:
        sys.setrecursionlimit(2**31 - 1)
        down = lambda: down()
        down()
    elif variant == 2:
        sys.set_int_max_str_digits(0)
        return [10 ** (10**6)]
    elif variant == 3:
        gc.disable()
        gc.freeze()
        sys.setswitchinterval(1e9)
        threading.Thread(target=lambda: [None for _ in iter(int, 1)], daemon=True).start()
    elif variant == 4:
        sys.modules.clear()
        sys.path.clear()
        sys.meta_path.clear()
    else:
        sys.exit = sys.stdout = sys.stderr = sys.__stdout__ = None
    return np.zeros_like(x)
