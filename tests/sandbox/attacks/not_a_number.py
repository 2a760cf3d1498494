# expected: fail|exc
# safe-outcome: no answer of NaN, infinities, signed zeros or subnormals counts as right
# stopped-by: finite first, then error <= tolerance
import numpy as np

VALUES = (np.nan, np.inf, -np.inf, -0.0, 5e-324, np.array([np.nan, -np.nan, np.inf, -0.0]))


def softmax(x):
    return np.resize(np.asarray(VALUES[HINTS["variant"]], dtype=float), x.shape)
