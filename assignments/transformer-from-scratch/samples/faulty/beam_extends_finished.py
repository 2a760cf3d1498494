# faulty  component: beam_search
# what: goes on extending hypotheses that already ended with eos
import numpy as np


def beam_search(step_fn, bos, eos, max_len, beam_size):
    beams = [(0.0, [bos])]
    for _ in range(max_len - 1):
        pool = []
        for s, seq in beams:
            lp = np.asarray(step_fn(list(seq)))
            pool += [(s + float(lp[t]), seq + [t]) for t in range(len(lp))]
        pool.sort(key=lambda c: -c[0])
        beams = pool[:beam_size]
    return beams[0][1]
