# expected: protocol|fail|crash|exc
# safe-outcome: frames that student code writes are never taken for answers
# stopped-by: a nonce for each question; exactly one frame for each
import json
import os
import struct

import numpy as np


def softmax(x):
    text = json.dumps({"n": "0" * 16, "r": [{"s": "value", "v": [{"a": ["<f8", [4], 0]}], "f": None, "o": 0}]}).encode()
    os.write(3, struct.pack("<4sII", b"AGF1", len(text), 32) + text + bytes(32))
    return np.zeros_like(x)
