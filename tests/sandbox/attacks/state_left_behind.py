# expected: fail
# safe-outcome: what is changed in numpy, random, the environment or shared pages is gone in the next child
# stopped-by: a fresh fork for every submission
import ctypes
import os
import random
import sys

import numpy as np

np.seterr(all="raise")
np.set_printoptions(threshold=0, formatter={"all": lambda value: "pwned"})
np.random.seed(1)
random.seed(1)
os.environ["OMP_NUM_THREADS"] = "64"
os.chdir(os.path.dirname(os.__file__))
sys.path.insert(0, "/tmp")
np.exp = np.max = np.sum = lambda *args, **kwargs: 1.0
sys.setrecursionlimit(30)
ctypes.memset(ctypes.addressof(ctypes.c_char.in_dll(ctypes.pythonapi, "Py_BytesWarningFlag")), 1, 1)
