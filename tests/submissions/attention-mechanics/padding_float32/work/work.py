import numpy as np


def padding_mask(lengths, max_len):
    return (np.arange(max_len)[None, :] < np.array(lengths).reshape(-1, 1)).astype(np.float32)
