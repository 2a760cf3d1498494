# correct  component: beam_search
from dataclasses import dataclass, field
from typing import List

import numpy as np


@dataclass
class Hyp:
    tokens: List[int] = field(default_factory=list)
    logp: float = 0.0
    done: bool = False

    def extend(self, tok, lp, eos):
        return Hyp(self.tokens + [int(tok)], self.logp + float(lp), int(tok) == eos)


def beam_search(step_fn, bos, eos, max_len, beam_size):
    beam = [Hyp([bos])]
    while len(max((h.tokens for h in beam), key=len)) < max_len:
        if all(h.done for h in beam):
            break
        cand = []
        for h in beam:
            if h.done:
                cand.append(h)
            else:
                lps = step_fn(list(h.tokens))
                cand += [h.extend(t, lp, eos) for t, lp in enumerate(lps)]
        cand.sort(key=lambda h: h.logp, reverse=True)
        beam = cand[:beam_size]
    return max(beam, key=lambda h: h.logp).tokens
