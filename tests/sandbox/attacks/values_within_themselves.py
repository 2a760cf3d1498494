# expected: exc|fail|crash
# safe-outcome: lists, tables and arrays that hold themselves end in an error
# stopped-by: caps on depth and count
import numpy as np


def softmax(x):
    listed, table, boxed = [x], {"a": x}, np.empty(2, object)
    listed.append(listed)
    table["b"] = table
    boxed[:] = [boxed, boxed]
    wide = [0]
    for _ in range(60):
        wide = [wide, wide]
    return (listed, table, boxed, (listed, table), wide, {"a": [{"b": (wide,)}]})[HINTS["variant"]]
