import numpy as np


class Att:
    def soft(self, x):
        e = np.exp(x - np.max(x, axis=-1, keepdims=True))
        return e / e.sum(axis=-1, keepdims=True)

    def run(self, Q, K, V):
        w = self.soft(Q @ K.T / np.sqrt(Q.shape[-1]))
        return w @ V, w


att = Att()
softmax, self_attention = att.soft, att.run
