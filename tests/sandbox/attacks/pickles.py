# expected: exc|fail
# safe-outcome: pickled bytes, objects with __reduce__ and code objects are never loaded
# stopped-by: no pickle on the wire
import pickle

import numpy as np


class Gadget:
    def __reduce__(self):
        return (print, ("LEAK: unpickled",))


def softmax(x):
    return (
        np.array([Gadget()] * 4, dtype=object),
        pickle.dumps(Gadget()),
        np.frombuffer(pickle.dumps(Gadget()), np.uint8),
        Gadget(),
        softmax.__code__,
        np.void(b"\x80\x04"),
    )[HINTS["variant"]]
