# faulty  component: noam_lr
# what: takes the larger of the two terms instead of the smaller
def noam_lr(step, d_model, warmup):
    return (d_model ** -0.5) * max(step ** -0.5, step * warmup ** -1.5)
