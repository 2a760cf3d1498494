# correct  component: attention_masks
import numpy as np


def causal_mask(n):
    return np.tri(n, dtype=bool)


def not_pad(ids, pad_id):
    return np.not_equal(ids, pad_id)


def make_src_mask(ids, pad_id):
    return np.expand_dims(not_pad(ids, pad_id), (1, 2))


def make_tgt_mask(ids, pad_id):
    ids = np.asarray(ids)
    return np.logical_and(make_src_mask(ids, pad_id), causal_mask(ids.shape[-1])[None, None])
