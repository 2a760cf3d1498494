# correct  component: adam
# "efficient" version from the end of section 2 of the Adam paper, eps rescaled so it is the same thing
import math
import numpy as np


def adam_step(params, grads, m, v, step, lr, beta1=0.9, beta2=0.98, eps=1e-9):
    new_m = m + (1.0 - beta1) * (grads - m)
    new_v = v + (1.0 - beta2) * (grads ** 2 - v)
    bc1 = 1.0 - math.pow(beta1, step)
    bc2 = 1.0 - math.pow(beta2, step)
    alpha_t = lr * math.sqrt(bc2) / bc1
    denom = np.sqrt(new_v) + eps * math.sqrt(bc2)
    return params - alpha_t * new_m / denom, new_m, new_v
