# correct  component: padding_mask
import numpy as np


def padding_mask(lengths, max_len: int) -> np.ndarray:
    rows = []
    for L in lengths:
        L = int(L)
        rows.append([True] * L + [False] * (max_len - L))
    return np.array(rows, dtype=bool).reshape(len(rows), max_len)
