# expected: timeout
# safe-outcome: warnings, log lines and dumps of the interpreter without end are drained and capped
# stopped-by: output cap; deadlines
import faulthandler
import logging
import sys
import warnings

import numpy as np


def softmax(x):
    number = 0
    logging.basicConfig(stream=sys.stderr, level=0)
    warnings.simplefilter("always")
    while True:
        number += 1
        kind = number % 5
        if kind == 0:
            warnings.warn(f"{number} " + "w" * 5000, category=UserWarning, stacklevel=1)
        elif kind == 1:
            logging.error("%s\x1b]0;x\x07::error::%d", "l" * 5000, number)
        elif kind == 2:
            faulthandler.dump_traceback(2)
        elif kind == 3:
            sys.excepthook(ValueError, ValueError("e" * 9999), None)
        else:
            print(np.zeros(999), file=sys.__stderr__, flush=True)
