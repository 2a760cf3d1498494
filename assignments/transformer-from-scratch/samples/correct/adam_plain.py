# correct  component: adam
import numpy as np


def adam_step(params, grads, m, v, step, lr, beta1=0.9, beta2=0.98, eps=1e-9):
    m = beta1 * m + (1 - beta1) * grads
    v = beta2 * v + (1 - beta2) * np.square(grads)
    mhat = m / (1 - beta1 ** step)
    vhat = v / (1 - beta2 ** step)
    params = params - lr * mhat / (np.sqrt(vhat) + eps)
    return params, m, v
