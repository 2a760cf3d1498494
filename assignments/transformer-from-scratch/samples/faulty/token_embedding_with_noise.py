# faulty  component: token_embedding
# what: noise is added in every call
import numpy as np


def token_embedding(ids, table):
    rows = table[ids] * np.sqrt(table.shape[1])
    return rows + np.random.normal(scale=0.1, size=rows.shape)
