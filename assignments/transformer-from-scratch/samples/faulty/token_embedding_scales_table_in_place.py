# faulty  component: token_embedding
# what: scales the caller's table in place, so every further call is scaled again
import numpy as np


def token_embedding(ids, table):
    if table.dtype.kind != "f":
        table = table.astype(float)
    table *= table.shape[1] ** 0.5
    return table[ids]
