# expected: protocol|exc|fail|crash
# safe-outcome: verdicts, failures and counts that a child makes up are held to their form and earn nothing
# stopped-by: statuses by name; caps on every field
import json
import os
import struct
import sys

import numpy as np

FAILURE = {"type": "X" * 10**5, "message": ["not", "text"], "frames": [["f" * 10**5, 10**300, "n"]] * 500, "step": 0, "mro": ["Y"] * 5000}
REPLIES = (
    {"s": "passed", "v": [], "f": None, "o": 0},
    {"s": "error", "v": [], "f": FAILURE, "o": 1e308},
    {"s": "memory", "v": [], "f": {**FAILURE, "step": 10**9}, "o": 0},
    {"s": "missing", "v": [], "f": {**FAILURE, "frames": [[None, None, None]]}, "o": -(10**30)},
    {"s": "value", "v": [[0.25] * 4], "f": None, "o": "9" * 5000, "points": 100},
    {"s": ["value"], "v": {"0": 1}, "f": 7, "o": None},
)


def softmax(x):
    frame = sys._getframe()
    while "tree" not in frame.f_locals:
        frame = frame.f_back
    body = json.dumps({"n": frame.f_locals["tree"]["n"], "r": [REPLIES[HINTS["variant"]]]}).encode()
    os.write(3, struct.pack("<4sII", b"AGF1", len(body), 0) + body)
    os._exit(0)
