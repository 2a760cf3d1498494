# kind: session
# expected: fail|exc|protocol|crash|timeout
# safe-outcome: a thread of the first form that answers in the second one ends as a protocol error
# stopped-by: a nonce for each; exactly one frame for each
import json
import os
import struct
import sys
import threading
import time

import numpy as np


def trees():
    for frame in list(sys._current_frames().values()):
        while frame is not None:
            tree = frame.f_locals.get("tree")
            if isinstance(tree, dict):
                yield tree
            frame = frame.f_back


def answers():
    while True:
        for tree in trees():
            reply = {"s": "value", "v": [{"a": ["<f8", [4], 0]}], "f": None, "o": 0}
            text = json.dumps({"n": tree.get("n", ""), "r": [reply]}).encode()
            try:
                os.write(3, struct.pack("<4sII", b"AGF1", len(text), 32) + text + np.full(4, 0.25).tobytes())
            except OSError:
                return
        time.sleep(0.001 if HINTS["variant"] % 2 else 0.02)


if HINTS["variant"] < 4:
    threading.Thread(target=answers, daemon=True).start()


def softmax(x):
    if HINTS["variant"] >= 4:
        threading.Thread(target=answers, daemon=True).start()
        time.sleep(0.05)
    return np.zeros_like(x)
