import numpy as np


def softmax(x):
    """σ(x)ᵢ = eˣⁱ / Σ eˣʲ — überall größer als 0 ✓ 你好"""
    é = np.exp(x - np.max(x, axis=-1, keepdims=True))
    Σ = é.sum(axis=-1, keepdims=True)
    return é / Σ


def self_attention(Q, K, V):
    d_κ = Q.shape[-1]
    α = softmax(Q @ K.T / np.sqrt(d_κ))
    return α @ V, α
