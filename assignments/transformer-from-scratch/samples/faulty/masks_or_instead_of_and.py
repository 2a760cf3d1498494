# faulty  component: attention_masks
# what: the target mask joins its two conditions with or instead of and
import numpy as np


def make_src_mask(ids, pad_id):
    return (ids != pad_id)[:, None, None, :]


def make_tgt_mask(ids, pad_id):
    n = ids.shape[1]
    causal = np.arange(n)[:, None] >= np.arange(n)
    return make_src_mask(ids, pad_id) | causal
