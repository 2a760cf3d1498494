# kind: session
# expected: fail|exc|crash|protocol
# safe-outcome: a form that says it defines everything answers nothing more rightly
# stopped-by: values are judged; names are held to their form
import sys

import numpy as np

room = next((module for name, module in list(sys.modules.items()) if name.endswith(".loading")), None)
if room is not None:
    kind = room.Submission

    def names(self):
        rows = [["hw", name, "class"] for name in ("Encoder", "EncoderLayer", "softmax", "x" * 100000, "\x1b[2J")]
        return rows * (1 if HINTS["variant"] % 2 else 400)

    kind.names = names
    if HINTS["variant"] > 2:
        kind.find = lambda self, target: lambda *args, **kwargs: np.full(4, 0.25)


def softmax(x):
    return np.zeros_like(x)
