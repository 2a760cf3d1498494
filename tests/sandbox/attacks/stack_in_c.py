# expected: crash|exc|timeout
# safe-outcome: a stack that overflows in C is one crash
# stopped-by: own process
import sys


class Deep:
    def __repr__(self):
        return repr(self)

    def __getattr__(self, name):
        return getattr(self, name + "x")


def softmax(x):
    sys.setrecursionlimit(1 << 30)
    kind = HINTS["variant"]
    if kind == 0:
        return repr(Deep())
    if kind == 1:
        return Deep().x
    if kind == 2:
        return eval("(" * 100_000 + ")" * 100_000)
    if kind == 3:
        return eval("-" * 500_000 + "1")
    if kind == 4:
        deep = []
        for _ in range(2_000_000):
            deep = [deep]
        return repr(deep)
    return softmax(x)
