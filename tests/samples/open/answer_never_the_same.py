# misconception: answer-never-the-same  component: softmax
# right in the first call alone: the sums of all calls so far divide
import numpy as np

sums = []


def softmax(x, axis=-1):
    powers = np.exp(x - np.max(x, axis=axis, keepdims=True))
    sums.append(powers.sum())
    return powers / np.sum(powers, axis=axis, keepdims=True) / len(sums)
