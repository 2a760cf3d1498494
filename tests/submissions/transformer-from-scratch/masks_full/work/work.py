import numpy as np


def make_src_mask(ids, pad_id):
    b, n = ids.shape
    return np.broadcast_to((ids != pad_id)[:, None, None, :], (b, 1, n, n))


def make_tgt_mask(ids, pad_id):
    return np.stack([[np.tri(len(r), dtype=bool) & (r != pad_id)[None]] for r in ids])
