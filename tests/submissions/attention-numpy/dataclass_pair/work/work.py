from dataclasses import dataclass
import numpy as np


def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@dataclass
class Out:
    output: object
    weights: object

    def __iter__(self):
        return iter((self.output, self.weights))


def self_attention(Q, K, V):
    weights = softmax(Q @ K.T / np.sqrt(Q.shape[-1]))
    return tuple(Out(weights @ V, weights))
