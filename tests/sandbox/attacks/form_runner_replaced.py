# kind: session
# expected: fail|exc|crash|protocol|timeout
# safe-outcome: what runs the next form may be anything: it runs in this child alone
# stopped-by: a fork of its own; what is printed beside a stand-in is not told in another form
import builtins
import sys

import numpy as np

real_exec, real_compile = builtins.exec, builtins.compile


def runs(code, *args, **kwargs):
    if HINTS["variant"] == 1:
        return None
    if HINTS["variant"] == 2:
        raise SystemExit(0)
    if HINTS["variant"] == 3:
        print(code)
    return real_exec(code, *args, **kwargs)


def compiled(source, filename, *args, **kwargs):
    if "stand-in" in str(filename):
        print(source)
        if HINTS["variant"] == 4:
            source = "def softmax(x): return x"
    return real_compile(source, filename, *args, **kwargs)


builtins.exec, builtins.compile = runs, compiled
for finder in sys.meta_path:
    kind = type(finder)
    if hasattr(kind, "exec_module") and HINTS["variant"] == 5:
        kind.exec_module = lambda self, module: module.__dict__.update(softmax=lambda x: x)


def softmax(x):
    return np.zeros_like(x)
