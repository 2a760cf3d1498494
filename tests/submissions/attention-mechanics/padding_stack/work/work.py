import numpy as np


def padding_mask(lengths, max_len):
    return np.stack([np.r_[np.ones(l, bool), np.zeros(max_len - l, bool)] for l in lengths])
