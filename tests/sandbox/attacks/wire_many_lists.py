# expected: fail|protocol|exc
# safe-outcome: answers of a million empty lists do not make the grader grow
# stopped-by: caps on one tree and on all of them
import os
import struct
import sys

import numpy as np


def softmax(x):
    body = "[" + ",".join(["[]"] * 690_000) + "]"
    nonce = sys._getframe(1).f_back.f_back.f_back.f_locals["tree"]["n"]
    text = f'{{"n":"{nonce}","r":[{{"s":"value","v":[{body}],"f":null,"o":0}}]}}'.encode()
    view = memoryview(struct.pack("<4sII", b"AGF1", len(text), 0) + text)
    while view:
        view = view[os.write(3, view) :]
    main = sys._getframe(1).f_back.f_back.f_back.f_back
    wire = sys.modules[main.f_globals["__name__"].rpartition(".")[0] + ".child"]
    wire._write = lambda fd, data: None  # ours was the answer
    return np.zeros_like(x)
