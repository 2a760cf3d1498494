# misconception: softmax-hardcoded-axis0  component: softmax
from numpy import exp, array


def softmax(x, axis=-1):
    scores = array(x) * 1.0
    top = scores.max(0)
    powers = exp(scores - top)
    total = powers.sum(0)
    return powers / total
