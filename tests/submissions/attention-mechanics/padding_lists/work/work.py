import numpy as np


def padding_mask(lengths, max_len):
    return [[j < l for j in range(max_len)] for l in lengths]
