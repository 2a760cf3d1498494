import numpy as np


def make_src_mask(ids, pad_id):
    return (ids != pad_id)[:, None, None, :]


def make_tgt_mask(ids, pad_id):
    n = ids.shape[1]
    return (ids != pad_id)[:, None, None, :] & np.tril(np.ones((n, n), bool))
