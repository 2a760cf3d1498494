# misconception: beam-stops-at-first-finished  component: beam_search
import heapq
import numpy as np

def beam_search(step_fn, bos, eos, max_len, beam_size):
    beam = [(0.0, (bos,))]
    def over(seq):
        return len(seq) > 1 and seq[-1] == eos
    for _ in range(max_len - 1):
        done = [item for item in beam if over(item[1])]
        if done:
            return list(max(done, key=lambda item: item[0])[1])
        pool = []
        for score, seq in beam:
            if over(seq):
                pool.append((score, seq))
                continue
            for token, lp in enumerate(np.asarray(step_fn(list(seq)), dtype=float)):
                pool.append((score + float(lp), seq + (token,)))
        beam = heapq.nlargest(beam_size, pool, key=lambda item: item[0])
    return list(max(beam, key=lambda item: item[0])[1])
