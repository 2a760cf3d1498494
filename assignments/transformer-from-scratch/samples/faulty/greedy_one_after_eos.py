# faulty  component: greedy_decode
# what: tests for eos before the new token is chosen from the old one, so one token follows eos
import numpy as np


def greedy_decode(step_fn, bos, eos, max_len):
    seq = [bos]
    finished = False
    while len(seq) < max_len and not finished:
        finished = len(seq) > 1 and seq[-1] == eos
        seq.append(int(np.argmax(step_fn(list(seq)))))
    return seq
