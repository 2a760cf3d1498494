# expected: fail|exc
# safe-outcome: extreme numbers of every kind are compared and shown without a fault of the grader
# stopped-by: comparison of plain arrays
import numpy as np


def softmax(x):
    n = len(x)
    kinds = (
        np.full(n, 1.7976931348623157e308), np.full(n, -5e-324), np.full(n, 2**64 - 1, np.uint64), np.full(n, complex(np.nan, np.inf)), np.full(n, np.inf, np.float16),
        np.full((n, 1), -0.0), np.asfortranarray(np.zeros((n, n))), np.zeros(n, ">f8"), np.zeros(n, np.longdouble), np.array(1e300), np.zeros(n, bool), [10**300] * n,
        [float("nan")] * n, [True, None, 1j], np.frombuffer(b"\xff\xf8\0\0\0\0\0\1" * n), [[1.0] * n, [2.0]], np.full(n, -(2**63)), [-(10**5000)] * n,
    )
    return kinds[int(abs(x[0]) * 1e6) % 3 + 3 * HINTS["variant"]]
