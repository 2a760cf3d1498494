# expected: fail|exc|crash|timeout
# safe-outcome: a module with more names than a report could hold, and names that are no texts, is read as far as it goes
# stopped-by: caps in the child and in the grader
import numpy as np


def softmax(x):
    return np.zeros_like(x)


for number in range(200_000):
    globals()[f"name{number}"] = softmax
for key in (1, None, (2, 3), b"x", 1.5):
    globals()[key] = softmax
globals()["x" * 100_000] = globals()["\ud800\x1b[2J"] = softmax


class Refuses:
    @property
    def __class__(self):
        raise SystemExit(0)


if HINTS["variant"] % 2:
    thing = Refuses()
