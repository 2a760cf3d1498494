# faulty  component: padding_mask
# what: uses <= instead of <, so the first padding position counts as real
import numpy as np


def padding_mask(lengths, max_len):
    return np.arange(max_len)[None, :] <= np.asarray(lengths)[:, None]
