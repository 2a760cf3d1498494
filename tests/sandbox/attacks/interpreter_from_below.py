# expected: fail|exc|crash|protocol|timeout
# safe-outcome: pending calls, exceptions thrown into the main thread and exit functions by the C interface cost this child only
# stopped-by: own process; nonces; deadlines
import ctypes
import os
import threading
import time

import numpy as np

api = ctypes.pythonapi
main = threading.main_thread().ident
hold = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(lambda _: os.write(3, b"\x05\0\0\0\0\0\0\0[1,2]") and 0)


def softmax(x):
    kind = HINTS["variant"]
    if kind == 0:
        for _ in range(9):
            api.Py_AddPendingCall(hold, None)
    elif kind == 1:
        def throw():
            while True:
                time.sleep(0.001)
                api.PyThreadState_SetAsyncExc(ctypes.c_ulong(main), ctypes.py_object(SystemExit))
        threading.Thread(target=throw, daemon=True).start()
    elif kind == 2:
        api.Py_AtExit(hold)
        api.Py_Finalize()
    elif kind == 3:
        api.PyErr_SetInterrupt()
    elif kind == 4:
        ctypes.memset(id(0.0) + 16, 0xFF, 8)
        ctypes.memset(id(1) + 24, 2, 1)
    else:
        api.PyGILState_Release(0)
    return np.zeros_like(x)
