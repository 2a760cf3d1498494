# misconception: beam-sums-probabilities  component: beam_search
import numpy as np


class Node:
    def __init__(self, toks, score, end):
        self.toks, self.score, self.end = toks, score, end


def beam_search(step_fn, bos, eos, max_len, beam_size):
    beam = [Node([bos], 0.0, False)]
    for _ in range(max_len - 1):
        nxt = []
        for node in beam:
            if node.end:
                nxt.append(node)
                continue
            probs = np.exp(np.array(step_fn(list(node.toks))))
            for t, pr in enumerate(probs):
                nxt.append(Node(node.toks + [t], node.score + pr, t == eos))
        beam = sorted(nxt, key=lambda nd: nd.score, reverse=True)[:beam_size]
    return beam[0].toks
