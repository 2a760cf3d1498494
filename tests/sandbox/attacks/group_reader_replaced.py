# expected: fail|protocol|exc|crash|timeout
# safe-outcome: replacing what reads the questions in the child, which looks at nothing twice, changes only what is answered
# stopped-by: it reads the grader's own words only; what comes back is checked and compared
import itertools
import sys

import numpy as np


class Array(np.ndarray):
    def copy(self, *args, **kwargs):
        return np.full(4, 0.25)


def endless(tree, blob, start):
    return ({"do": "let", "as": str(at), "value": None} for at in itertools.count())


def others(tree, blob, start):
    return [{"do": "let", "as": "x", "value": 0}, {"do": "get", "name": "x"}]


def leaves(tree, blob, start):
    raise SystemExit(0)


def softmax(x):
    rooms = [module for name, module in sys.modules.items() if hasattr(module, "trusted")]
    frame = sys._getframe()
    while "wire" not in frame.f_globals:
        frame = frame.f_back
    room = frame.f_globals["wire"]
    variant = HINTS["variant"]
    for each in [room, *rooms]:
        if variant == 0:
            each.trusted = endless
        elif variant == 1:
            each.trusted = others
        elif variant == 2:
            each.trusted = leaves
    if variant == 3:
        np.ndarray = Array
    elif variant == 4:
        sys.modules["numpy"] = None
    elif variant == 5:
        room.lengths = lambda *args: (0, 0)
        room.parse = lambda *args: {"n": "0", "p": [[0, []]] * 5}
    return np.full(x.shape, 1 / x.shape[-1])
