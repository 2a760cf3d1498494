import numpy as np


def greedy_decode(step_fn, bos, eos, max_len):
    out = (bos,)
    while len(out) < max_len and out[-1] != eos:
        out += (int(np.argmax(step_fn(list(out)))),)
    return out
