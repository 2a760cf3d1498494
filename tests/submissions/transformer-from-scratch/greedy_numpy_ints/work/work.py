import numpy as np


def greedy_decode(step_fn, bos, eos, max_len):
    out = [bos]
    for _ in range(max_len - 1):
        t = np.argmax(step_fn(out))
        out.append(t)
        if t == eos:
            break
    return out
