import numpy as np


def greedy_decode(step_fn, bos, eos, max_len, prefix=None):
    prefix = prefix or [bos]
    if len(prefix) >= max_len or prefix[-1] == eos:
        return prefix
    return greedy_decode(step_fn, bos, eos, max_len, prefix + [int(np.asarray(step_fn(prefix)).argmax())])
