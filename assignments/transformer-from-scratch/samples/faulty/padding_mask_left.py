# faulty  component: padding_mask
# what: puts the padding on the left
import numpy as np

def padding_mask(lengths, max_len):
    start = max_len - np.asarray(lengths)
    return np.arange(max_len) >= start[:, None]
