# misconception: pe-odd-dmodel-crash  component: positional_encoding
import numpy as np
import math


def positional_encoding(max_len, d_model):
    encoding = np.zeros([max_len, d_model])
    for pos in range(max_len):
        for i in range(0, d_model, 2):
            w = math.exp(-math.log(10000) * i / d_model)
            encoding[pos, i] = math.sin(pos * w)
            encoding[pos, i + 1] = math.cos(pos * w)
    return encoding
