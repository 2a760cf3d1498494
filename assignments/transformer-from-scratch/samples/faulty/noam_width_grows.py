# faulty  component: noam_lr
# what: multiplies by sqrt(d_model) instead of dividing
import numpy as np


def noam_lr(step, d_model, warmup):
    return float(np.sqrt(d_model) * np.minimum(1 / np.sqrt(step), step / warmup ** 1.5))
