# faulty  component: beam_search
# what: prefers any finished hypothesis to a better unfinished one at the end
import numpy as np


def beam_search(step_fn, bos, eos, max_len, beam_size):
    beam = [([bos], 0.0, False)]
    for _ in range(max_len - 1):
        cand = []
        for toks, sc, fin in beam:
            if fin:
                cand.append((toks, sc, fin))
            else:
                lp = step_fn(toks[:])
                cand.extend((toks + [t], sc + float(lp[t]), t == eos) for t in range(len(lp)))
        cand.sort(key=lambda c: c[1], reverse=True)
        beam = cand[:beam_size]
    done = [c for c in beam if c[2]]
    return max(done or beam, key=lambda c: c[1])[0]
