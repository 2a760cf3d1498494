import os
os.environ['OMP_NUM_THREADS'] = '1'
os.environ.setdefault('CUDA_VISIBLE_DEVICES', '')
import numpy as np


def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def self_attention(Q, K, V):
    weights = softmax(Q @ K.T / np.sqrt(Q.shape[-1]))
    return weights @ V, weights

print(os.getcwd(), os.environ.get('HOME'), os.cpu_count())
