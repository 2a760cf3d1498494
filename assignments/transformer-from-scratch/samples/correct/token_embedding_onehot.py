# correct  component: token_embedding
import numpy as np


def token_embedding(ids, table):
    ids = np.asarray(ids)
    vocab, d = table.shape
    onehot = (ids[..., None] == np.arange(vocab)).astype(table.dtype)
    return onehot @ table * d ** 0.5
