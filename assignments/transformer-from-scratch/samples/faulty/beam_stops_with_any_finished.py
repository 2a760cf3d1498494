# misconception: beam-stops-at-first-finished  component: beam_search
import numpy as np

def beam_search(step_fn, bos, eos, max_len, beam_size):
    seqs, scores, done = [[bos]], np.zeros(1), [False]
    for _ in range(max_len - 1):
        if any(done):
            break
        cand, val, fin = [], [], []
        for s, c, d in zip(seqs, scores, done):
            if d:
                cand.append(s); val.append(c); fin.append(True)
            else:
                lp = np.asarray(step_fn(list(s)), dtype=float)
                cand += [s + [t] for t in range(len(lp))]
                val += list(c + lp)
                fin += [t == eos for t in range(len(lp))]
        order = np.argsort(-np.array(val), kind="stable")[:beam_size]
        seqs, scores, done = [cand[i] for i in order], np.array(val)[order], [fin[i] for i in order]
    return seqs[int(np.argmax(scores))]
