# expected: fail|exc|crash|protocol|timeout
# safe-outcome: an array that a thread goes on changing arrives as the bytes of one moment
# stopped-by: copied once at encode time; lengths checked
import threading

import numpy as np

held = np.zeros(4)


def churn():
    while True:
        held[:] = np.random.rand(4)
        try:
            held.resize((1 << 16,), refcheck=False)
            held.resize((4,), refcheck=False)
        except ValueError:
            pass


threading.Thread(target=churn, daemon=True).start()


def softmax(x):
    return held
