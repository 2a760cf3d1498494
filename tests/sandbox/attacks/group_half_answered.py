# expected: timeout|crash|protocol|fail|exc
# safe-outcome: some right answers of a group, then a hang, an end or half a frame, earn nothing for the rest of it
# stopped-by: a frame counts whole or not at all; its programs are asked again one by one
import os
import struct
import sys
import time

import numpy as np


def leave(data, sleeps):
    os.write(3, data)
    if sleeps:
        time.sleep(3600)
    os._exit(0)


def softmax(x):
    if x.shape == (4,):
        e = np.exp(x - x.max())
        return e / e.sum()
    frame = sys._getframe()
    while "tree" not in frame.f_locals:
        frame = frame.f_back
    nonce = frame.f_locals["tree"]["n"]
    body = f'{{"n":"{nonce}","r":[{{"s":"value","v":[{{"a":["<f8",[7],0]}}],"f":null,"o":0}}'.encode()
    variant = HINTS["variant"]
    if variant == 0:
        time.sleep(3600)
    elif variant == 1:
        os._exit(0)
    elif variant in (2, 3):
        leave(struct.pack("<4sII", b"AGF1", len(body) + 2, 56) + body, sleeps=variant == 2)
    elif variant == 4:
        leave(struct.pack("<4sII", b"AGF1", 2 << 20, 16 << 20) + body * 100, sleeps=True)
    else:
        leave(struct.pack("<4sII", b"AGF1", len(body) + 2, 56) + body + b"]}" + bytes(55), sleeps=False)
    return np.zeros_like(x)
