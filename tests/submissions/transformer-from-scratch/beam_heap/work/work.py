import numpy as np


import heapq


def beam_search(step_fn, bos, eos, max_len, beam_size):
    beams = [(0.0, [bos])]
    for _ in range(max_len - 1):
        if all(s[-1] == eos and len(s) > 1 for _, s in beams):
            break
        new = []
        for score, seq in beams:
            if seq[-1] == eos and len(seq) > 1:
                new.append((score, seq))
                continue
            for tok, lp in enumerate(step_fn(seq)):
                new.append((score + float(lp), seq + [tok]))
        beams = heapq.nlargest(beam_size, new, key=lambda b: b[0])
    return max(beams, key=lambda b: b[0])[1]
