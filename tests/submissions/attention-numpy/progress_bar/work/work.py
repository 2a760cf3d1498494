from tqdm import tqdm, trange
from tqdm.auto import tqdm as auto
import numpy as np


def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def self_attention(Q, K, V):
    n = len(Q)
    weights = np.zeros((n, n))
    for i in tqdm(range(n), desc='rows'):
        for j in trange(n, leave=False):
            weights[i, j] = Q[i] @ K[j] / np.sqrt(Q.shape[1])
    weights = np.array([softmax(r) for r in auto(weights)])
    return weights @ V, weights
