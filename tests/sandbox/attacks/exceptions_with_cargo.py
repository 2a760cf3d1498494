# expected: exc
# safe-outcome: exceptions that carry the input in every attribute are shown as plain capped text, hidden ones not at all
# stopped-by: plain strings with caps; two views
import numpy as np


class Cargo(Exception):
    def __init__(self, x):
        super().__init__(x)
        self.__notes__ = [repr(x), x, None, 5]
        self.x = x

    def __reduce__(self):
        return (print, ("LEAK",))


def softmax(x):
    kind = HINTS["variant"]
    if kind == 0:
        raise Cargo(x)
    if kind == 1:
        raise UnicodeDecodeError("utf-8", x.tobytes() * 5000, 0, 8, repr(x.tolist()) * 500)
    if kind == 2:
        raise OSError(5, x.tobytes().hex(), repr(x), None, x.tobytes())
    if kind == 3:
        raise SyntaxError(repr(x), (repr(x) * 900, -5, 1 << 40, repr(x) * 900, 2, 3))
    if kind == 4:
        error = AttributeError(repr(x), name=x, obj=x)
        error.__cause__ = error.__context__ = KeyError(x)
        raise error
    raise ImportError(x, name=x, path=x) from ExceptionGroup("x" * 9999, [StopIteration(x), ValueError(x)] * 999)
