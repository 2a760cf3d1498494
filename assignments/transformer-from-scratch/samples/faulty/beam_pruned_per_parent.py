# faulty  component: beam_search
# what: keeps the best child of every parent instead of the best children overall
import numpy as np

def beam_search(step_fn, bos, eos, max_len, beam_size):
    lp = np.asarray(step_fn([bos])) if max_len > 1 else None
    if lp is None:
        return [bos]
    first = np.argsort(-lp, kind="stable")[:beam_size]
    hyps = [([bos, int(t)], float(lp[t])) for t in first]
    for _ in range(max_len - 2):
        for i, (seq, sc) in enumerate(hyps):
            if seq[-1] == eos:
                continue
            q = np.asarray(step_fn(list(seq)))
            t = int(np.argmax(q))
            hyps[i] = (seq + [t], sc + float(q[t]))
    return max(hyps, key=lambda h: h[1])[0]
