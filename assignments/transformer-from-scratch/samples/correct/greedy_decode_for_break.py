# correct  component: greedy_decode
import numpy as np


def greedy_decode(step_fn, bos, eos, max_len):
    out = [bos]
    for _ in range(max_len - 1):
        scores = np.asarray(step_fn(list(out)))
        nxt = int(scores.argmax())
        out.append(nxt)
        if nxt == eos:
            return out
    return out
