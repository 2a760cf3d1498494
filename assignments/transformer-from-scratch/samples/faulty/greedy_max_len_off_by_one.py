# misconception: greedy-max-len-off-by-one  component: greedy_decode
import numpy as np


def greedy_decode(step_fn, bos, eos, max_len):
    tokens = [bos]
    while True:
        tok = int(np.argmax(step_fn(tokens)))
        tokens += [tok]
        if tok == eos or len(tokens) > max_len:
            break
    return tokens
