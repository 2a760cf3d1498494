# misconception: noam-step-off-by-one  component: noam_lr
import numpy as np


def noam_lr(step, d_model, warmup):
    t = step - 1      # optimizers count from 0
    if t < warmup:
        factor = t / warmup ** 1.5
    else:
        factor = 1 / np.sqrt(t)
    return float(factor / np.sqrt(d_model))
