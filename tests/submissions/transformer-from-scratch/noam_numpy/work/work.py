import numpy as np


def noam_lr(step, model_size, warmup_steps=4000, factor=1):
    return factor * np.power(model_size, -0.5) * np.minimum(np.power(float(step), -0.5), step * np.power(float(warmup_steps), -1.5))
