# expected: protocol|fail|crash|exc|timeout
# safe-outcome: a load that the submission reports of itself does not make a name that is not there answer rightly
# stopped-by: a nonce for each; values are judged
import json
import os
import struct
import sys

frame = sys._getframe()
while frame and "tree" not in frame.f_locals:
    frame = frame.f_back
nonce = frame.f_locals["tree"]["n"] if frame else "0"
names = [["hw", f"name{number}", "function"] for number in range(5000)] + [["hw", "softmax", "function"]]
body = {"n": nonce, "s": "value", "f": None, "names": names, "notes": ["::error::" * 100] * 500, "o": 10**9}
text = json.dumps(body).encode()
os.write(3, struct.pack("<4sII", b"AGF1", len(text), 0) + text)
if HINTS["variant"] % 2:
    os.write(3, struct.pack("<4sII", b"AGF1", len(text), 0) + text)
if HINTS["variant"] > 3:
    os._exit(0)


def softmax(x):
    return x * 0
