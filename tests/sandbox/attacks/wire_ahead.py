# expected: protocol|fail|crash|exc|timeout
# safe-outcome: questions read ahead and answered with their nonces are still judged by value
# stopped-by: comparison in the grader; one frame for each
import json
import os
import struct


def exactly(size):
    data = b""
    while len(data) < size:
        data += os.read(3, size - len(data))
    return data


def softmax(x):
    nonces = [__import__("sys")._getframe(1).f_back.f_back.f_back.f_locals["tree"]["n"]]
    os.set_blocking(3, False)
    try:
        while True:
            magic, tree, blob = struct.unpack("<4sII", exactly(12))
            nonces.append(json.loads(exactly(tree))["n"])
            exactly(blob)
    except BlockingIOError:
        pass
    for nonce in nonces:
        body = {"n": nonce, "r": [{"s": "value", "v": [{"a": ["<f8", [4], 0]}], "f": None, "o": 0}]}
        text = json.dumps(body).encode()
        os.write(3, struct.pack("<4sII", b"AGF1", len(text), 32) + text + struct.pack("<4d", 1, 0, 0, 0))
    os._exit(0)
