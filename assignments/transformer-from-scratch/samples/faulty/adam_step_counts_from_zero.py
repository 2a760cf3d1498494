# faulty  component: adam
# what: corrects the bias with step+1 although steps already count from 1
import numpy as np


def adam_step(params, grads, m, v, step, lr, beta1=0.9, beta2=0.98, eps=1e-9):
    t = step + 1
    m = beta1 * m + (1 - beta1) * grads
    v = beta2 * v + (1 - beta2) * np.power(grads, 2)
    alpha = lr * float(np.sqrt(1 - beta2 ** t)) / (1 - beta1 ** t)
    return params - alpha * m / (np.sqrt(v) + eps * float(np.sqrt(1 - beta2 ** t))), m, v
