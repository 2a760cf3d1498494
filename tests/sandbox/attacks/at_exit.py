# expected: fail|crash
# safe-outcome: what is registered for the end runs nowhere that matters
# stopped-by: the child is killed; verdicts only from answers
import atexit
import os
import sys
import threading
import weakref


def last(*args):
    try:
        os.close(os.open(HINTS["drop_dir"] + "/late", os.O_CREAT | os.O_WRONLY))
        os.write(1, b"LEAK: wrote at the end\n")
    except OSError:
        pass
    os._exit(0)


class Final:
    __del__ = last


atexit.register(last)
keep = Final()
weakref.finalize(keep, last)
threading._register_atexit(last)
sys.exitfunc = last
sys.excepthook = sys.unraisablehook = last
