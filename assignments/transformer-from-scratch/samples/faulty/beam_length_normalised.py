# faulty  component: beam_search
# what: divides the score by the length although the plain sum is asked for
import numpy as np


def beam_search(step_fn, bos, eos, max_len, beam_size):
    beams = [([bos], 0.0)]
    rank = lambda b: b[1] / max(1, len(b[0]) - 1)
    for _ in range(max_len - 1):
        nxt = []
        for seq, sc in beams:
            if len(seq) > 1 and seq[-1] == eos:
                nxt.append((seq, sc))
                continue
            for tok, lp in enumerate(step_fn(list(seq))):
                nxt.append((seq + [tok], sc + float(lp)))
        beams = sorted(nxt, key=rank, reverse=True)[:beam_size]
    return max(beams, key=rank)[0]
