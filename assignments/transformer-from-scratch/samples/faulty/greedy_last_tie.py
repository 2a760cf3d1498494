# faulty  component: greedy_decode
# what: takes the highest token where scores tie
import numpy as np


def greedy_decode(step_fn, bos, eos, max_len):
    seq = [bos]
    while len(seq) < max_len:
        lp = np.asarray(step_fn(list(seq)))
        nxt = int(np.argsort(lp, kind="stable")[-1])
        seq.append(nxt)
        if nxt == eos:
            break
    return seq
