import numpy as np


def adam_step(theta, g, m, v, t, lr, beta1=0.9, beta2=0.98, eps=1e-9, weight_decay=0.0):
    m, v = m + (1 - beta1) * (g - m), v + (1 - beta2) * (g * g - v)
    return theta - lr * (m / (1 - beta1 ** t)) / (np.sqrt(v / (1 - beta2 ** t)) + eps), m, v
