import numpy as np


def feed_forward(x, W1, b1, W2, b2):
    h = x @ W1 + b1
    h[h < 0] = 0
    return h @ W2 + b2
