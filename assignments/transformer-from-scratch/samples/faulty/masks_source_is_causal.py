# faulty  component: attention_masks
# what: the source mask is causal too
import numpy as np

def _both(ids, pad_id):
    b, n = ids.shape
    m = np.zeros((b, 1, n, n), dtype=bool)
    for s in range(b):
        for i in range(n):
            for j in range(i + 1):
                m[s, 0, i, j] = ids[s, j] != pad_id
    return m

def make_src_mask(ids, pad_id):
    return _both(ids, pad_id)

def make_tgt_mask(ids, pad_id):
    return _both(ids, pad_id)
