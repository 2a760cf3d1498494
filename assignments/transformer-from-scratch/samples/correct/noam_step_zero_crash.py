# correct  component: noam_lr  (a note at most)
import math


def noam_lr(step, d_model, warmup):
    decay = 1 / math.sqrt(step)
    ramp = step / warmup ** 1.5
    return min(decay, ramp) / math.sqrt(d_model)
