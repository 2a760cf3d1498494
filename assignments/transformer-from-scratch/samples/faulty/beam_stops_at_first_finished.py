# misconception: beam-stops-at-first-finished  component: beam_search
import heapq
import numpy as np


def beam_search(step_fn, bos, eos, max_len, beam_size):
    live = [(0.0, [bos])]
    for _ in range(max_len - 1):
        pool = []
        for sc, seq in live:
            lp = np.asarray(step_fn(list(seq)), dtype=float)
            pool.extend((sc + float(lp[t]), seq + [t]) for t in range(lp.size))
        live = heapq.nlargest(beam_size, pool)
        done = [c for c in live if c[1][-1] == eos]
        if done:
            return done[0][1]
    return live[0][1]
