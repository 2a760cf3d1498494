# correct  component: causal_mask
import numpy as np

def causal_mask(n):
    future = np.triu(np.ones((n, n)), k=1)   # 1 = the future
    return future == 0
