# faulty  component: adam
# what: returns the bias-corrected moments as the new state, so they are corrected again at every step
import numpy as np

def adam_step(params, grads, m, v, step, lr, beta1=0.9, beta2=0.98, eps=1e-9):
    m = (beta1 * m + (1 - beta1) * grads) / (1 - beta1 ** step)
    v = (beta2 * v + (1 - beta2) * grads * grads) / (1 - beta2 ** step)
    new = params - lr * m / (np.sqrt(v) + eps)
    return new, m, v
