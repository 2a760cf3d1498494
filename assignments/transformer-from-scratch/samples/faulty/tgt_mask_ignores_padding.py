# misconception: tgt-mask-ignores-padding  component: attention_masks
import numpy as np

def make_src_mask(ids, pad_id):
    return (ids != pad_id)[:, None, None]

def subsequent(n):
    return 1 - np.triu(np.ones((1, n, n)), k=1).astype("uint8") == 1

def make_tgt_mask(ids, pad_id):
    batch, n = ids.shape
    return np.broadcast_to(subsequent(n), (batch, 1, n, n)).copy()
