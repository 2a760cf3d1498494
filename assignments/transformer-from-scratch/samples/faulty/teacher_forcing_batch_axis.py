# faulty  component: teacher_forcing
# what: shifts along the batch axis
def teacher_forcing_pair(target):
    return target[:-1], target[1:]
