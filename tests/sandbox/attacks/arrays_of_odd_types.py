# expected: fail|exc|protocol|crash
# safe-outcome: structured, text, date, void and object arrays, and those that hold themselves, are no arrays of numbers
# stopped-by: an allow-list of types
import numpy as np


def softmax(x):
    held = np.empty(len(x), object)
    held[:] = 0.25
    held[0] = held
    named = np.zeros(len(x), [("output", "f8"), ("__class__", "O")])
    return (
        held,
        named,
        np.array(["0.25"] * len(x)),
        np.zeros(len(x), "M8[ns]"),
        np.zeros(len(x), np.dtype("f8", metadata={"right": True}))[np.newaxis].astype("V8")[0],
        np.ma.masked_all(len(x)),
    )[HINTS["variant"]]
