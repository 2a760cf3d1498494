# expected: fail|exc|crash|timeout
# safe-outcome: callbacks of the collector and finalizers that run while an answer is written change that answer at most
# stopped-by: values are judged outside
import gc
import sys
import weakref

import numpy as np

kept = []


class Trap:
    def __del__(self):
        for held in gc.get_objects()[-2000:]:
            if type(held) is dict and "s" in held and "v" in held:
                held["s"], held["v"] = "value", [np.ones(4) / 4]
        kept.append(Trap() if len(kept) < 999 else None)


def softmax(x):
    gc.set_threshold(1, 1, 1)
    if not kept:
        gc.callbacks.append(lambda phase, info: kept.append(phase) if len(kept) < 9999 else None)
        gc.callbacks.append(lambda phase, info: 1 / 0)
    Trap()
    y = np.zeros(len(x))
    weakref.finalize(x, y.fill, 1.0)
    sys.stdout = Trap()
    return y
