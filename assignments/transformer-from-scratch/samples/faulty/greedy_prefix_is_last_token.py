# faulty  component: greedy_decode
# what: gives step_fn only the newest token instead of the whole prefix
import numpy as np

def greedy_decode(step_fn, bos, eos, max_len):
    out, tok = [bos], bos
    while tok != eos or len(out) == 1:
        if len(out) == max_len:
            break
        tok = int(np.argmax(step_fn([tok])))
        out.append(tok)
    return out
