import numpy as np


def adam_step(theta, g, m, v, t, lr, *, beta1=0.9, beta2=0.98, eps=1e-9):
    m = beta1 * m + (1 - beta1) * g
    v = beta2 * v + (1 - beta2) * np.square(g)
    a = lr * np.sqrt(1 - beta2 ** t) / (1 - beta1 ** t)
    return theta - a * m / (np.sqrt(v) + eps * np.sqrt(1 - beta2 ** t)), m, v
