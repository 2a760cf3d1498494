# expected: protocol|fail|crash|exc|timeout
# safe-outcome: a thread that reads the questions itself and answers them is judged by value, and ends the run where it answers twice
# stopped-by: a nonce for each; comparison in the grader
import json
import os
import struct
import threading


def exactly(size):
    data = b""
    while len(data) < size:
        data += os.read(3, size - len(data))
    return data


def serve():
    while True:
        magic, tree, blob = struct.unpack("<4sII", exactly(12))
        question = json.loads(exactly(tree))
        exactly(blob)
        reply = {"s": "value", "v": [{"a": ["<f8", [4], 0]}], "f": None, "o": 0}
        body = json.dumps({"n": question["n"], "r": [reply] * len(question["p"])}).encode()
        os.write(3, struct.pack("<4sII", b"AGF1", len(body), 32) + body + struct.pack("<4d", 0.25, 0.25, 0.25, 0.25))


threading.Thread(target=serve, daemon=True).start()
