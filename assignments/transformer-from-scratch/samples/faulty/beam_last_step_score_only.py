# misconception: beam-last-step-score-only  component: beam_search
import numpy as np


def beam_search(step_fn, bos, eos, max_len, beam_size):
    hyps = [[bos]]
    scores = [0.0]
    for _ in range(max_len - 1):
        new = []
        for h, s in zip(hyps, scores):
            if len(h) > 1 and h[-1] == eos:
                new.append((s, h))
            else:
                lp = step_fn(list(h))
                for tok in range(len(lp)):
                    s = float(lp[tok])
                    new.append((s, h + [tok]))
        new.sort(key=lambda p: -p[0])
        new = new[:beam_size]
        scores = [p[0] for p in new]
        hyps = [p[1] for p in new]
    return hyps[0]
