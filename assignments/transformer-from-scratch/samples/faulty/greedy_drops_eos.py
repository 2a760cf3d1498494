# misconception: greedy-drops-eos  component: greedy_decode
import numpy as np


def greedy_decode(step_fn, bos, eos, max_len):
    result = [bos]
    for i in range(1, max_len):
        result.append(int(np.argmax(step_fn(result))))
        if result[-1] == eos:
            break
    if eos in result[1:]:
        result = result[: result.index(eos, 1)]
    return result
