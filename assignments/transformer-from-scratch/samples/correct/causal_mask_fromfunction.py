# correct  component: causal_mask
from numpy import fromfunction

causal_mask = lambda n: fromfunction(lambda i, j: i >= j, (n, n), dtype=int)
