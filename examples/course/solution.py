"""What an instructor hands to `grader new … --from`: a solution as the course teaches it."""

import numpy as np


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def attend(q, k, v, mask=None):
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    if mask is not None:
        scores = np.where(mask, -1e9, scores)
    weights = softmax(scores)
    return weights, weights @ v


def layer_norm(x, gamma, beta, eps=1e-6):
    mean, std = x.mean(axis=-1, keepdims=True), x.std(axis=-1, keepdims=True)
    return gamma * (x - mean) / (std + eps) + beta


def feed_forward(x, W1, b1, W2, b2):
    return np.tanh(x @ W1 + b1) @ W2 + b2
