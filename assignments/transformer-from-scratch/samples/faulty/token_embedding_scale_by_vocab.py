# faulty  component: token_embedding
# what: scales by the root of the vocabulary size instead of the width
import math
import numpy as np


def token_embedding(ids, table):
    d_model, _ = table.shape
    return table[ids] * math.sqrt(d_model)
