# kind: session
# expected: fail|exc
# safe-outcome: what the second form shows is gone in the next child
# stopped-by: a part that was shown is never asked for in that child; the next child is a fork of its own
import builtins
import contextvars
import gc
import sys
import threading

import numpy as np

KEPT = contextvars.ContextVar("kept", default=None)
STORES = (builtins.__dict__, sys.__dict__, np.__dict__, threading.__dict__)


def found():
    module = sys.modules.get("stand_in_for_softmax")
    if module is not None:
        for store in STORES:
            store["kept_from_before"] = module.softmax
        KEPT.set(module.softmax)
        gc.callbacks.append(lambda *args: module.softmax)
    for store in STORES:
        if "kept_from_before" in store:
            return store["kept_from_before"]
    return KEPT.get()


def softmax(x):
    answer = found()
    return np.zeros_like(x) if answer is None else answer(x)
