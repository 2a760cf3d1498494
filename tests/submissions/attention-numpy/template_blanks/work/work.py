import numpy as np

# The worksheet's template.
def softmax(x):
    exp_x = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return exp_x / np.sum(exp_x, axis=-1, keepdims=True)


def self_attention(Q, K, V):
    # Step 1
    d_k = Q.shape[1]
    scores = np.dot(Q, K.T)
    # Step 2
    scores = scores / np.sqrt(d_k)
    # Step 3
    weights = softmax(scores)
    # Step 4
    output = np.dot(weights, V)
    return output, weights

np.random.seed(0)
Q = np.random.randn(4, 8)
K = np.random.randn(4, 8)
V = np.random.randn(4, 8)
output, weights = self_attention(Q, K, V)
print(f'Output shape: {output.shape}')
print(f'{weights}')
