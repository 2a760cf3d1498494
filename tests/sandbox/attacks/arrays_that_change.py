# expected: fail|exc|crash|protocol|timeout
# safe-outcome: an array that changes its size, kind and values while it is sent is one answer or none
# stopped-by: lengths are checked in the grader
import threading

import numpy as np


def softmax(x):
    answer = np.zeros(1 << 12)

    def change():
        size = 1
        while True:
            size = size % 99 + 1
            try:
                if HINTS["variant"] == 0:
                    answer.resize(size << 6, refcheck=False)
                elif HINTS["variant"] == 1:
                    answer.shape = (size, -1)
                elif HINTS["variant"] == 2:
                    answer.dtype = (np.float64, np.int64, np.complex128)[size % 3]
                else:
                    answer.setflags(write=size % 2)
            except (ValueError, AttributeError, TypeError):
                pass

    threading.Thread(target=change, daemon=True).start()
    return [answer] * 4
