# kind: session
# expected: fail|exc|crash|timeout|protocol
# safe-outcome: a setting of the interpreter that the first form leaves does not reach another child
# stopped-by: a fork of its own
import faulthandler
import gc
import sys
import tracemalloc
import warnings

import numpy as np

if HINTS["variant"] == 0:
    gc.disable(), gc.set_threshold(1, 1, 1), gc.set_debug(gc.DEBUG_SAVEALL)
elif HINTS["variant"] == 1:
    sys.set_int_max_str_digits(640), sys.setswitchinterval(1e-9)
elif HINTS["variant"] == 2:
    warnings.simplefilter("error"), np.seterr(all="raise")
elif HINTS["variant"] == 3:
    tracemalloc.start(50), faulthandler.enable(), faulthandler.dump_traceback_later(0.1, repeat=True)
elif HINTS["variant"] == 4:
    sys.displayhook = sys.excepthook = sys.unraisablehook = lambda *args: sys.exit(1)
else:
    sys.addaudithook(lambda name, args: print(name) if name == "import" else None)
