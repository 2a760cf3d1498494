# expected: protocol|fail|crash|exc
# safe-outcome: values put into the reply beside the answer, or in its place, are counted and compared
# stopped-by: the form of a reply follows from its question
import sys

import numpy as np


def softmax(x):
    frame = sys._getframe()
    while frame and "values" not in frame.f_locals:
        frame = frame.f_back
    held = frame.f_locals
    variant = HINTS["variant"]
    if variant == 0:
        held["values"].append({"a": ["<f8", [4], 0]})
    elif variant == 1:
        held["reply"].update(s="missing", f=None)
    elif variant == 2:
        held["reply"].update(v=[[0.25] * 4], score=100, passed=True)
    elif variant == 3:
        held["reply"]["f"] = {"type": "T", "message": "m", "frames": [], "step": -1, "mro": []}
    elif variant == 4:
        held["writer"].blobs.append(bytes(1 << 20))
        held["writer"].size = -1 << 40
    else:
        held["reply"]["n"] = {"a": ["<f8", [4], 0]}
    return np.zeros_like(x)
