import numpy as np


class Noam:
    def __call__(self, step, d_model, warmup):
        return d_model ** -0.5 * min(step ** -0.5, step * warmup ** -1.5)


noam_lr = Noam()
