# expected: fail|exc|crash
# safe-outcome: a standard output that raises, closed descriptors and broken builtins end in a verdict
# stopped-by: own process; no answer is no pass
import builtins
import os
import sys


class Raises:
    def write(self, *args):
        raise SystemExit(0)

    flush = write


sys.stdout = sys.stderr = Raises()
os.close(1)
os.close(2)
builtins.print = None
builtins.len = lambda x: 0
builtins.isinstance = lambda *args: True


def softmax(x):
    return x * 0
