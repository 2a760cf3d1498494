# correct  component: beam_search
"""Beam as two numpy arrays (scores and a flag) and a list of sequences."""
import numpy as np


def beam_search(step_fn, bos, eos, max_len, beam_size):
    seqs, scores, ended = [[bos]], np.zeros(1), np.array([False])
    for _step in range(1, max_len):
        if ended.all():
            break
        all_seq, all_sc, all_end = [], [], []
        for s, sc, e in zip(seqs, scores, ended):
            if e:
                all_seq.append(s); all_sc.append(sc); all_end.append(True)
                continue
            logp = np.asarray(step_fn(s.copy()), dtype=np.float64)
            k = min(beam_size, logp.shape[0])
            for t in np.argsort(-logp, kind="stable")[:k]:
                all_seq.append(s + [int(t)])
                all_sc.append(sc + logp[t])
                all_end.append(bool(t == eos))
        order = np.argsort(-np.array(all_sc), kind="stable")[:beam_size]
        seqs = [all_seq[i] for i in order]
        scores = np.array([all_sc[i] for i in order])
        ended = np.array([all_end[i] for i in order])
    return seqs[int(np.argmax(scores))]
