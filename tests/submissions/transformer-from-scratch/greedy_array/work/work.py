import numpy as np


def greedy_decode(step_fn, bos, eos, max_len):
    out = np.array([bos])
    for _ in range(max_len - 1):
        if out[-1] == eos:
            break
        out = np.append(out, np.argmax(step_fn(out.tolist())))
    return out
