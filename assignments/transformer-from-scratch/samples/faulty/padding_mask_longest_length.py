# faulty  component: padding_mask
# what: is as wide as the longest length, not max_len
import numpy as np

def padding_mask(lengths, max_len):
    lengths = np.array(lengths)
    width = int(lengths.max())
    out = np.zeros((len(lengths), width), dtype=bool)
    for b, l in enumerate(lengths):
        out[b, :l] = True
    return out
