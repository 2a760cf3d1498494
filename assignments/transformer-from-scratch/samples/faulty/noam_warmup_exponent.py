# faulty  component: noam_lr
# what: the warm-up term has warmup^-0.5 instead of warmup^-1.5
import math

def noam_lr(step, d_model, warmup):
    return math.pow(d_model, -0.5) * min(math.pow(step, -0.5), step * math.pow(warmup, -0.5))
