import numpy as np


def padding_mask(lengths, max_len):
    return [np.arange(max_len) < l for l in lengths]
