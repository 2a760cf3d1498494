# faulty  component: attention_masks
# what: calls a token real if its id is larger than pad_id
import numpy as np


def make_src_mask(ids, pad_id):
    real = ids > pad_id
    return real[:, None, None, :]


def make_tgt_mask(ids, pad_id):
    t = ids.shape[1]
    look_back = ~np.triu(np.ones((t, t), dtype=bool), 1)
    return np.logical_and(make_src_mask(ids, pad_id), look_back)
