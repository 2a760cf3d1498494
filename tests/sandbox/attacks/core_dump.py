# expected: crash
# safe-outcome: no core file; one crash, one verdict
# stopped-by: RLIMIT_CORE 0; own process
import ctypes
import os
import resource
import signal


def softmax(x):
    for limit in (resource.RLIM_INFINITY, 1 << 20):
        try:
            resource.setrlimit(resource.RLIMIT_CORE, (limit, limit))
        except (OSError, ValueError):
            pass
    try:
        os.chdir(HINTS["drop_dir"])
    except OSError:
        pass
    signal.signal(signal.SIGSEGV, signal.SIG_DFL)
    signal.signal(signal.SIGABRT, signal.SIG_DFL)
    ctypes.string_at(0)
