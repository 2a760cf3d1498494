# expected: fail
# safe-outcome: right by call, by shape, by depth of the stack, by time or by chance is not right
# stopped-by: several cases, equal shapes, a fresh child
import os
import random
import sys
import time

import numpy as np

count = 0


def right(x):
    e = np.exp(x - x.max())
    return e / e.sum()


def softmax(x):
    global count
    count += 1
    good = (
        count <= 4,
        x.shape[-1] == 4,
        count % 2 == 1,
        x[0] > 0,
        count < 3 or os.environ.get("PYTEST_CURRENT_TEST") or "pytest" in sys.modules or not sys.argv[0],
        count == 1 or random.Random(count).random() < 0 or time.monotonic() < 0,
    )[HINTS["variant"]]
    if HINTS["variant"] == 4 and good and count > 2:
        return np.zeros_like(x)
    return right(x) if good else np.zeros_like(x)
