# expected: fail|exc|protocol|crash|timeout
# safe-outcome: whole frames with the right nonce, printed, are output and no answers
# stopped-by: answers have a channel of their own
import json
import os
import struct
import sys

import numpy as np


def softmax(x):
    e = np.exp(x - x.max())
    good = (e / e.sum()).astype("<f8")
    frame = sys._getframe()
    while "tree" not in frame.f_locals:
        frame = frame.f_back
    tree = frame.f_locals["tree"]
    reply = {"s": "value", "v": [{"a": ["<f8", list(x.shape), 0]}], "f": None, "o": 0}
    body = json.dumps({"n": tree["n"], "r": [reply] * len(tree["p"])}).encode()
    data = struct.pack("<4sII", b"AGF1", len(body), good.nbytes) + body + good.tobytes()
    variant = HINTS["variant"]
    if variant == 0:
        os.write(1, data)
    elif variant == 1:
        os.write(2, data)
    elif variant == 2:
        sys.stdout.buffer.write(data)
    elif variant == 3:
        print(data.decode("latin-1"), flush=True)
    elif variant == 4:
        sys.stdout = os.fdopen(os.dup(3), "w")  # what is printed goes to the channel
        print("score: 100", flush=True)
    else:
        os.dup2(1, 3)  # and what is answered goes to the output
    return np.zeros_like(x)
