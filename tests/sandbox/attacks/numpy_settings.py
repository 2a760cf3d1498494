# expected: fail|exc|crash
# safe-outcome: what numpy lets a program set (printing, errors, buffers, promotion) changes nothing outside
# stopped-by: own process; nothing is printed or compared there
import numpy as np

np.seterr(all="raise")
np.seterrcall(lambda *a: print("LEAKED"))
np.set_printoptions(threshold=10**9, precision=99, formatter={"all": lambda v: "LEAK" * 99})
np.setbufsize(16)
for name in ("set_string_function", "set_numeric_ops", "_set_promotion_state"):
    try:
        getattr(np, name)(lambda *a, **k: "x")
    except Exception:
        pass
np.array_repr = np.array_str = np.array2string = lambda *a, **k: "LEAK"
np.random.seed = np.random.default_rng = lambda *a: None
