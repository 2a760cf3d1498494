# expected: fail|exc|protocol|crash|timeout
# safe-outcome: hooks that see or forbid all that the interpreter does change this child only
# stopped-by: own process
import sys

import numpy as np

seen = []


def hook(event, args):
    seen.append((event, args))
    if HINTS["variant"] == 0 and event in ("compile", "exec"):
        raise SystemExit(0)
    if HINTS["variant"] == 1:
        raise KeyboardInterrupt
    if HINTS["variant"] == 2 and event.startswith("object"):
        raise MemoryError
    if HINTS["variant"] == 3:
        seen.extend(args)


def softmax(x):
    if not seen:
        sys.addaudithook(hook)
    for _, args in seen:
        for one in args if isinstance(args, tuple) else ():
            if isinstance(one, np.ndarray) and one is not x:
                return one
    return np.zeros_like(x)
