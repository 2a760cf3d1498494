# expected: fail|protocol|exc|crash|timeout
# safe-outcome: programs that stand together are exchanged, repeated and answered for each other, and each is still compared with its own answer
# stopped-by: what is asked and what is right stay in the grader, in its own order
import sys

import numpy as np

FIRST = []


def right(x):
    e = np.exp(x - x.max())
    return e / e.sum()


def softmax(x):
    frame = sys._getframe()
    while not hasattr(frame.f_locals.get("self"), "programs"):
        frame = frame.f_back
    held = frame.f_locals["self"]
    programs, replies, writer = held.programs, held.replies, held.writer
    variant = HINTS["variant"]
    if not FIRST:
        FIRST.append(right(x))
        if variant == 0:
            programs[1:] = programs[:0:-1]
        elif variant == 1:
            programs[1:] = [programs[0]] * (len(programs) - 1)
        elif variant == 2:
            good = {"s": "value", "v": [{"a": ["<f8", [4], 0]}], "f": None, "o": 0}
            replies.extend([good] * (len(programs) - 1))
            del programs[1:]
        elif variant == 3:
            programs.extend([programs[0]] * 40)
        elif variant == 4:
            replies[:] = [{"s": "value", "v": [{"a": ["<f8", [4], -32]}], "f": None, "o": 0}]
        return FIRST[0]
    if variant == 5:
        writer.blobs.clear()
        writer.size = 0
    return FIRST[0] if x.shape == FIRST[0].shape else np.full(x.shape, 1 / x.shape[-1])
