# faulty  component: attention_masks
# what: the ids of the caller are changed in place
import numpy as np


def make_src_mask(ids, pad_id):
    ids[ids == pad_id] = -1
    return (ids != -1)[:, None, None, :]


def make_tgt_mask(ids, pad_id):
    past = np.tri(ids.shape[1], dtype=bool)
    return make_src_mask(ids.copy(), pad_id) & past
