# misconception: padding-mask-inverted  component: padding_mask
import numpy as np


def padding_mask(lengths, max_len):
    mask = np.zeros((len(lengths), max_len), bool)
    for row, l in zip(mask, lengths):
        row[l:] = True
    return mask
