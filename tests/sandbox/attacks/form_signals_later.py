# kind: session
# expected: fail|exc|crash|timeout|protocol
# safe-outcome: a timer, a profiler or a tracer of the first form hits its own child only
# stopped-by: a fresh child where the next form does not load
import os
import signal
import sys


def strike(*_):
    if HINTS["variant"] % 2:
        os._exit(0)
    raise SystemExit("struck")


if HINTS["variant"] < 2:
    signal.signal(signal.SIGALRM, strike)
    signal.setitimer(signal.ITIMER_REAL, 0.2, 0.01)
elif HINTS["variant"] < 4:
    sys.setprofile(lambda frame, event, argument: strike() if frame.f_code.co_name == "unload" else None)
else:
    sys.settrace(lambda frame, event, argument: strike() if frame.f_code.co_name == "load" else None)
