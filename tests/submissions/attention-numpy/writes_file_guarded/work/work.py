import numpy as np


def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def self_attention(Q, K, V):
    weights = softmax(Q @ K.T / np.sqrt(Q.shape[-1]))
    return weights @ V, weights

try:
    with open('log.txt', 'w') as f:
        f.write('x')
    np.save('w.npy', np.eye(3))
except Exception as e:
    print(e)
