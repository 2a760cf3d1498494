# misconception: pe-row-zero-blank  component: positional_encoding
import numpy as np


def positional_encoding(max_len, d_model):
    rows = []
    for pos in range(max_len):
        if pos == 0:
            rows.append(np.zeros(d_model))   # padding position
        else:
            rows.append(np.array([pos / np.power(10000, 2 * (j // 2) / d_model) for j in range(d_model)]))
    table = np.array(rows)
    table[1:, 0::2] = np.sin(table[1:, 0::2])
    table[1:, 1::2] = np.cos(table[1:, 1::2])
    return table
