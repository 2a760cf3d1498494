# correct  component: attention_masks
import numpy as np

def make_src_mask(ids, pad_id):
    ids = np.array(ids)
    b, n = ids.shape
    keys = ids != pad_id
    # (b, n) -> (b, 1, n, n), every query row is the same
    return np.repeat(keys[:, None, None, :], n, axis=2)

def make_tgt_mask(ids, pad_id):
    src = make_src_mask(ids, pad_id)
    n = src.shape[-1]
    i, j = np.indices((n, n))
    src[:, :, j > i] = False
    return src
