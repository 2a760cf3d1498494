# expected: fail|exc|crash|protocol|timeout
# safe-outcome: trace and profile functions see and change only the child's own frames
# stopped-by: own process; no answers there
import sys
import threading


def watch(frame, event, arg):
    for name in ("expected", "oracle", "reference", "rubric"):
        if name in frame.f_locals:
            print("LEAK:", name, frame.f_locals[name])
    if "reply" in frame.f_locals and isinstance(frame.f_locals["reply"], dict):
        frame.f_locals["reply"]["s"] = "value"
    return watch


sys.settrace(watch)
sys.setprofile(watch)
threading.settrace(watch)
frame = sys._getframe()
while frame is not None:
    frame.f_trace = watch
    frame = frame.f_back
