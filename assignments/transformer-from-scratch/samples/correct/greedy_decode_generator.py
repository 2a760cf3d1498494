# correct  component: greedy_decode
from itertools import islice


def _tokens(step_fn, bos, eos):
    prefix = [bos]
    yield bos
    while True:
        lp = [float(t) for t in step_fn(prefix[:])]
        best = max(range(len(lp)), key=lp.__getitem__)  # max keeps the first, i.e. the lowest id
        prefix.append(best)
        yield best
        if best == eos:
            return


def greedy_decode(step_fn, bos, eos, max_len):
    return list(islice(_tokens(step_fn, bos, eos), max_len))
