# correct  component: token_embedding
import math
import numpy as np


def token_embedding(ids, table):
    d_model = table.shape[1]
    return np.take(table, ids, axis=0) * math.sqrt(d_model)
