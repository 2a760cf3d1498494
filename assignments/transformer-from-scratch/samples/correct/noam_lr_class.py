# correct  component: noam_lr
class NoamSchedule:
    def __init__(self, d_model, warmup, factor=1.0):
        self.d_model, self.warmup, self.factor = d_model, warmup, factor

    def __call__(self, step):
        if step < self.warmup:
            r = step * self.warmup ** (-1.5)
        else:
            r = step ** (-0.5)
        return self.factor * self.d_model ** (-0.5) * r


def noam_lr(step, d_model, warmup):
    return NoamSchedule(d_model, warmup)(step)
