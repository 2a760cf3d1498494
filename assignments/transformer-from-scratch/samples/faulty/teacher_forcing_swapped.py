# faulty  component: teacher_forcing
# what: returns (labels, decoder input)
def teacher_forcing_pair(target):
    labels, inputs = target[:, 1:], target[:, :-1]
    return labels, inputs
