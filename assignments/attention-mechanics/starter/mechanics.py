import numpy as np


def softmax(x, axis=-1):
    """Turn scores into weights along `axis`."""
    raise NotImplementedError


def scaled_dot_product_attention(Q, K, V, mask=None):
    """Q (..., n, d_k), K (..., m, d_k), V (..., m, d_v); mask True = may attend. Returns (output, weights)."""
    raise NotImplementedError


def causal_mask(n):
    """Boolean (n, n), True on and below the diagonal."""
    raise NotImplementedError


def padding_mask(lengths, max_len):
    """Boolean (batch, max_len), True at real positions."""
    raise NotImplementedError


def positional_encoding(max_len, d_model):
    """(max_len, d_model): sine in even columns, cosine in odd ones, position 0 first."""
    raise NotImplementedError


def feed_forward(x, W1, b1, W2, b2):
    """Two linear layers with a ReLU between them, the same at every position."""
    raise NotImplementedError


def layer_norm(x, gain, shift, eps=1e-5):
    """Normalise the last axis, then scale by `gain` and add `shift`."""
    raise NotImplementedError


def multi_head_attention(query, key, value, weights, num_heads, mask=None):
    """Attention in num_heads subspaces; weights is a dict of w_q, w_k, w_v and w_o, used as x @ w."""
    raise NotImplementedError
