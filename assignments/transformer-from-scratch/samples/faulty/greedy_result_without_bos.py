# faulty  component: greedy_decode
# what: strips bos from the result
import numpy as np

def greedy_decode(step_fn, bos, eos, max_len):
    ys = [bos]
    for _ in range(max_len - 1):
        ys.append(int(np.argmax(step_fn(list(ys)))))
        if ys[-1] == eos:
            break
    return ys[1:]
