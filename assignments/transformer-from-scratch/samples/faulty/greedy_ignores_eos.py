# misconception: greedy-ignores-eos  component: greedy_decode
import numpy as np


def greedy_decode(step_fn, bos, eos, max_len):
    seq = np.full(max_len, -1, dtype=int)
    seq[0] = bos
    for t in range(1, max_len):
        seq[t] = np.argmax(step_fn(seq[:t].tolist()))
    return seq.tolist()
