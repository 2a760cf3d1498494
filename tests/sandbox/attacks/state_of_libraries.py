# expected: fail|exc|crash
# safe-outcome: settings of numpy, warnings, locale, decimal and random that a submission leaves behind are gone in the next child
# stopped-by: a fresh child for every ask
import decimal
import locale
import os
import random
import time
import warnings

import numpy as np


def softmax(x):
    np.seterr(all="raise")
    np.set_printoptions(formatter={"all": lambda value: "right"})
    np.random.seed(0)
    np.random.rand = lambda *args: np.full(args, 0.5)
    warnings.simplefilter("error")
    decimal.getcontext().prec = 1
    random.random = lambda: 0.5
    os.environ["TZ"] = "x"
    time.tzset()
    time.time = time.monotonic = lambda: 0.0
    try:
        locale.setlocale(locale.LC_ALL, "")
    except locale.Error:
        pass
    np.exp, np.float64, np.ndarray = None, None, None
    return [0.0] * len(x)
