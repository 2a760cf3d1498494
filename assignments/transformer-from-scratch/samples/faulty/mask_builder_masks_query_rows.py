# misconception: mask-builder-masks-query-rows  component: attention_masks
import numpy as np


def make_src_mask(ids, pad_id):
    n = ids.shape[1]
    real = ids != pad_id
    mask = np.empty((ids.shape[0], 1, n, n), dtype=bool)
    mask[:, 0] = real.reshape(-1, n, 1)
    return mask


def make_tgt_mask(ids, pad_id):
    n = ids.shape[1]
    return make_src_mask(ids, pad_id) & np.tril(np.ones((n, n), dtype=bool))
