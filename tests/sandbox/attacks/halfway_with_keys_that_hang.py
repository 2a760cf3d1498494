# expected: fail|exc|timeout|crash
# safe-outcome: looking at what a file has defined ends at the limit of loading
# stopped-by: the wall limit covers it
import numpy as np


def softmax(x):
    return np.zeros_like(x)


class Key:
    def __eq__(self, other):
        while HINTS["variant"] == 1:
            pass
        return True

    def __hash__(self):
        return hash("softmax")


globals().update({f"name{n}": n for n in range(100_000)})
globals()[Key()] = 1
undefined_name
name1 = name2 = 3
