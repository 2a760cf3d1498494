import numpy as np


def _tokens(step_fn, bos, eos, max_len):
    seq = [bos]
    yield bos
    while len(seq) < max_len and seq[-1] != eos:
        seq.append(int(np.argmax(step_fn(seq))))
        yield seq[-1]


def greedy_decode(*args, **kwargs):
    return list(_tokens(*args, **kwargs))
