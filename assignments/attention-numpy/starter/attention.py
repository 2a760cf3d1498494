import numpy as np


def softmax(x):
    """Turn scores into weights along the last axis: each row is non-negative and sums to 1."""
    raise NotImplementedError("softmax is yours to write")


def self_attention(Q, K, V):
    """Scaled dot-product attention.

    Q, K, V: matrices of shape (seq_len, d_k)
    Returns: the output (seq_len, d_k) and the attention weights (seq_len, seq_len)
    """
    # Step 1: scores, one for each query and key
    # Step 2: scale by the square root of d_k
    # Step 3: softmax turns each row of scores into weights
    # Step 4: the weights mix the rows of V
    raise NotImplementedError("self_attention is yours to write")


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    Q, K, V = (rng.normal(size=(4, 8)) for _ in range(3))
    output, weights = self_attention(Q, K, V)
    print("weights:", weights.shape, "output:", output.shape)
    print("rows sum to 1:", np.allclose(weights.sum(axis=1), 1))
