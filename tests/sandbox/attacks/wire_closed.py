# expected: crash|fail|exc
# safe-outcome: closing or replacing the channel ends the child
# stopped-by: no answer is no pass
import os

import numpy as np

count = 0


def softmax(x):
    global count
    count += 1
    if count == 1:
        os.dup2(1, 3)
    os.close(3)
    os.closerange(0, 64)
    return np.zeros_like(x)
