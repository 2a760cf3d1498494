# misconception: beam-starts-with-duplicates  component: beam_search
import numpy as np


def beam_search(step_fn, bos, eos, max_len, beam_size):
    seqs = [[bos] for _ in range(beam_size)]
    total = np.zeros(beam_size)
    for _ in range(max_len - 1):
        cand_seq, cand_sc = [], []
        for b in range(len(seqs)):
            if seqs[b][-1] == eos and len(seqs[b]) > 1:
                cand_seq.append(seqs[b])
                cand_sc.append(total[b])
                continue
            lp = np.asarray(step_fn(seqs[b][:]))
            for t in range(len(lp)):
                cand_seq.append(seqs[b] + [t])
                cand_sc.append(total[b] + lp[t])
        best = np.argsort(-np.array(cand_sc), kind="mergesort")[:beam_size]
        seqs = [cand_seq[i] for i in best]
        total = np.array([cand_sc[i] for i in best])
    return seqs[int(total.argmax())]
