# correct  component: noam_lr
import numpy as np


def noam_lr(step, d_model, warmup=4000):
    arg1 = 1.0 / np.sqrt(step)
    arg2 = step / (warmup * np.sqrt(warmup))
    return float(np.minimum(arg1, arg2) / np.sqrt(d_model))
