# expected: protocol|fail|crash|exc|timeout
# safe-outcome: the report that a child is armed, sent again, is no answer
# stopped-by: exactly one frame for each question
import json
import os
import struct

import numpy as np

text = json.dumps({"armed": True}).encode()
frame = struct.pack("<4sII", b"AGF1", len(text), 0) + text
os.write(3, frame * 20)


def softmax(x):
    os.write(3, frame)
    return np.zeros_like(x)
