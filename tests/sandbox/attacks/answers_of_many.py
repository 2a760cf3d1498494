# expected: protocol|fail|crash|exc|timeout
# safe-outcome: too few or too many answers to programs that were asked together, and the wish to be asked anew, earn nothing
# stopped-by: one answer for each program of a frame; what is wrong together is asked one by one
import json
import os
import struct
import sys

import numpy as np

GOOD = {"s": "value", "v": [{"a": ["<f8", [4], 0]}], "f": None, "o": 0}


def softmax(x):
    frame = sys._getframe()
    while "tree" not in frame.f_locals:
        frame = frame.f_back
    tree = frame.f_locals["tree"]
    count = len(tree["p"])
    replies = ([], [GOOD] * (count - 1), [GOOD] * (count + 1), None, {"0": GOOD}, [GOOD, None])[HINTS["variant"]]
    text = json.dumps({"n": tree["n"], "r": replies, "o": -1}).encode()
    os.write(3, struct.pack("<4sII", b"AGF1", len(text), 32) + text + struct.pack("<4d", 0.25, 0.25, 0.25, 0.25))
    return np.zeros_like(x)
