import numpy as np


from dataclasses import dataclass, field
import torch


@dataclass(order=True)
class Hyp:
    score: float
    tokens: list = field(compare=False)
    done: bool = field(compare=False, default=False)


def beam_search(step_fn, bos, eos, max_len, beam_size):
    beam = [Hyp(0.0, [bos])]
    for _ in range(1, max_len):
        cand = []
        for h in beam:
            if h.done:
                cand.append(h)
            else:
                lp = torch.as_tensor(step_fn(list(h.tokens)), dtype=torch.float64)
                top = torch.topk(lp, beam_size)
                cand += [Hyp(h.score + v, h.tokens + [i], i == eos) for v, i in zip(top.values.tolist(), top.indices.tolist())]
        beam = sorted(cand, reverse=True)[:beam_size]
        if all(h.done for h in beam):
            break
    return beam[0].tokens
