import numpy as np


def softmax(x: np.ndarray, /) -> np.ndarray:
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def self_attention(Q: np.ndarray, /, K: np.ndarray, V: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    weights = softmax(Q @ K.T / np.sqrt(Q.shape[-1]))
    return weights @ V, weights
