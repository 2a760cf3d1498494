# expected: fail|exc|crash|timeout
# safe-outcome: a function whose signature, wrapper or code lies is called as any other, and judged by value
# stopped-by: own process
import functools
import inspect

import numpy as np


class Odd:
    def __init__(self, kind):
        self.kind = kind

    def __call__(self, *args, **kwargs):
        return np.zeros_like(args[0])

    @property
    def __signature__(self):
        if self.kind == 0:
            raise SystemExit(3)
        return inspect.Signature([inspect.Parameter(f"p{n}", inspect.Parameter.KEYWORD_ONLY) for n in range(10**4)])

    def __getattr__(self, name):
        if self.kind == 2 and name in ("__wrapped__", "forward"):
            return Odd(2)
        raise AttributeError(name)


def plain(*args, **kwargs):
    return np.zeros_like(args[0] if args else next(iter(kwargs.values())))


variant = HINTS["variant"]
if variant < 3:
    softmax = Odd(variant)
elif variant == 3:
    softmax = plain
    softmax.__wrapped__ = softmax
elif variant == 4:
    softmax = plain
    for _ in range(3000):
        softmax = functools.partial(softmax)
        softmax.__signature__ = "no signature"
else:
    softmax = plain
    softmax.__code__ = softmax.__code__.replace(co_varnames=("self", "cls"), co_name="\x1b[2J", co_filename="/etc/passwd", co_firstlineno=10**6)
