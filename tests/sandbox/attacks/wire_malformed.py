# expected: protocol|fail|crash|exc
# safe-outcome: numbers, shapes and texts that no honest child sends end as a protocol error
# stopped-by: every field of a frame is checked
import os
import struct
import sys

import numpy as np

BODIES = (
    '{"a":["<f8",[-4],0]}', '{"a":["<f8",[1e400],0]}', '{"a":["|O",[4],0]}', '{"a":["<f8",[4],-8]}',
    '{"a":["<f8",[1099511627775,1099511627775,0],0]}', '{"x":["<f8",[4],0,"cpu",1]}',
)  # fmt: skip


def softmax(x):
    nonce = sys._getframe(1).f_back.f_back.f_back.f_locals["tree"]["n"]
    body = BODIES[HINTS["variant"]]
    failure = '{"type":[],"message":{},"frames":[["a",1e999,"b"]],"step":NaN,"mro":"abc"}'
    failure = failure if HINTS["variant"] == 5 else "null"
    text = f'{{"n":"{nonce}","r":[{{"s":"value","v":[{body}],"f":{failure},"o":NaN}}]}}'
    data = text.encode()
    os.write(3, struct.pack("<4sII", b"AGF1", len(data), 32) + data + bytes(32))
    return np.zeros_like(x)
