# faulty  component: positional_encoding
# what: positions are counted on from the last call
import numpy as np

seen = 0


def positional_encoding(max_len, d_model):
    global seen
    position = np.arange(seen, seen + max_len)[:, None]
    seen += max_len
    column = np.arange(d_model)[None, :]
    angle = position / 10000.0 ** (2 * (column // 2) / d_model)
    return np.where(column % 2 == 0, np.sin(angle), np.cos(angle))
