# faulty  component: adam
# what: overwrites the caller's params, m and v
import numpy as np


def adam_step(params, grads, m, v, step, lr, beta1=0.9, beta2=0.98, eps=1e-9):
    m *= beta1
    m += (1 - beta1) * grads
    v *= beta2
    v += (1 - beta2) * grads ** 2
    params -= lr * (m / (1 - beta1 ** step)) / (np.sqrt(v / (1 - beta2 ** step)) + eps)
    return params, m, v
