import numpy as np


def greedy_decode(step_fn, *, bos, eos, max_len):
    out = [bos]
    while len(out) < max_len:
        p = list(step_fn(out))
        out.append(p.index(max(p)))
        if out[-1] == eos:
            return out
    return out
