# faulty  component: adam
# what: uses beta2 for the mean and beta1 for the square
import numpy as np


def adam_step(params, grads, m, v, step, lr, beta1=0.9, beta2=0.98, eps=1e-9):
    first = beta2 * m + (1 - beta2) * grads
    second = beta1 * v + (1 - beta1) * np.square(grads)
    mh = first / (1 - beta2 ** step)
    vh = second / (1 - beta1 ** step)
    return params - lr * mh / (np.sqrt(vh) + eps), first, second
