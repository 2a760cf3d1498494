# faulty  component: adam
# what: adds eps inside the square root
import numpy as np

def adam_step(params, grads, m, v, step, lr, beta1=0.9, beta2=0.98, eps=1e-9):
    m1 = beta1 * m + (1. - beta1) * grads
    v1 = beta2 * v + (1. - beta2) * grads * grads
    mhat, vhat = m1 / (1. - beta1 ** step), v1 / (1. - beta2 ** step)
    return params - lr * mhat / np.sqrt(vhat + eps), m1, v1
