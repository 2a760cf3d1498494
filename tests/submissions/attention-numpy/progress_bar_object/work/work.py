import tqdm
import numpy as np


def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def self_attention(Q, K, V):
    n = len(Q)
    weights = np.zeros((n, n))
    bar = tqdm.tqdm(total=n)
    for i in range(n):
        weights[i] = softmax(K @ Q[i] / np.sqrt(Q.shape[1]))
        bar.update(1)
        bar.set_postfix(i=i)
    bar.close()
    pbar = tqdm.trange(n)
    for i in pbar:
        pbar.set_description(f'row {i}')
    for i, w in enumerate(tqdm.tqdm(weights, total=len(weights))):
        pass
    return weights @ V, weights
