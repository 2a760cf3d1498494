# expected: protocol|fail|crash|exc|timeout
# safe-outcome: the next questions, read ahead, are answered before the one at hand, twice, or in its place
# stopped-by: a nonce for each frame, in the order of the questions
import json
import os
import struct
import sys
import time


def framed(nonce, values):
    replies = [{"s": "value", "v": [value], "f": None, "o": 0} for value in values]
    body = json.dumps({"n": nonce, "r": replies}).encode()
    return struct.pack("<4sII", b"AGF1", len(body), 32) + body + struct.pack("<4d", 0.25, 0.25, 0.25, 0.25)


def probe():
    frame = sys._getframe()
    while "asked" not in frame.f_locals:
        frame = frame.f_back
    asked, mine = frame.f_locals["asked"], frame.f_locals["tree"]["n"]
    time.sleep(0.1)
    tree, _ = asked.read()  # what the grader has sent ahead
    lines = framed(mine, [{"t": ["BLOCKED: what was asked first is answered first"]}])
    answers = framed(tree["n"], [{"a": ["<f8", [4], 0]}] * len(tree["p"]))
    orders = ((answers, lines), (lines, answers, answers), (lines, lines), (answers,), (lines, answers, lines))
    variant = HINTS["variant"]
    if variant == 5:
        os.write(3, lines + answers[:40])
        time.sleep(3600)
    os.write(3, b"".join(orders[variant]))
    os._exit(0)
