# faulty  component: attention_masks
# what: treats id 0 as padding whatever pad_id says
import numpy as np


def make_src_mask(ids, pad_id):
    return ids.astype(bool)[:, np.newaxis, np.newaxis, :]


def make_tgt_mask(ids, pad_id):
    n = ids.shape[-1]
    return make_src_mask(ids, pad_id) & np.tri(n, n, dtype=bool)
