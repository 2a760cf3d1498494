import numpy as np


class Norm:
    def __call__(self, x, gamma, beta, epsilon=1e-5):
        m = x.mean(-1, keepdims=True)
        return gamma * (x - m) / np.sqrt(x.var(-1, keepdims=True) + epsilon) + beta


layer_norm = Norm()
