# misconception: noam-decay-keeps-growing  component: noam_lr
def noam_lr(step, d_model, warmup):
    base = d_model ** (-1 / 2)
    if step <= warmup:
        return base * step * warmup ** (-3 / 2)
    # continue from the peak
    return base * (step ** (1 / 2)) / warmup
