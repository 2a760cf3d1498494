# correct  component: padding_mask
import numpy as np

def padding_mask(lengths, max_len):
    lengths = np.asarray(lengths)
    return np.greater.outer(lengths, np.arange(max_len))
