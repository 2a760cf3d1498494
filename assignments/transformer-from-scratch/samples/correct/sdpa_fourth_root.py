# correct  component: scaled_dot_product_attention
"""I put half of the scaling on q and half on k (numerically nicer)."""
import numpy as np
from math import sqrt


def scaled_dot_product_attention(Q, K, V, mask=None):
    half = 1.0 / sqrt(sqrt(Q.shape[-1]))
    energy = np.einsum("...qd,...kd->...qk", Q * half, K * half)
    if mask is not None:
        lowest = np.finfo(energy.dtype).min
        energy = np.where(np.asarray(mask), energy, lowest)
    energy = energy - energy.max(axis=-1, keepdims=True)
    p = np.exp(energy)
    if mask is not None:
        p = p * mask
    z = p.sum(axis=-1, keepdims=True)
    p = p / np.where(z == 0, 1, z)
    ctx = np.einsum("...qk,...kv->...qv", p, V)
    return ctx, p
