import numpy as np


def make():
    def softmax(x):
        z = x - x.max(axis=-1, keepdims=True)
        return np.exp(z - np.log(np.exp(z).sum(axis=-1, keepdims=True)))

    def self_attention(Q, K, V):
        w = softmax(np.einsum('id,jd->ij', Q, K) / np.sqrt(Q.shape[1]))
        return np.einsum('ij,jd->id', w, V), w
    return softmax, self_attention


softmax, self_attention = make()
