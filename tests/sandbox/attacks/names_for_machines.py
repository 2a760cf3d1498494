# expected: fail|exc|crash|timeout
# safe-outcome: functions, files, lines and classes whose names speak to a terminal or a page are shown cleaned
# stopped-by: one cleaner; the student's own files alone
import numpy as np

NAME = ("\x1b[2J::error::", "<script>alert(1)</script>", "=1+1", "\u202egnp\u2028::error::x", "a\r\n::warning::b", "`" * 50)[HINTS["variant"]]


def inner(x):
    raise type(NAME, (ValueError,), {"__module__": NAME, "__qualname__": NAME})(NAME)


inner.__code__ = inner.__code__.replace(co_name=NAME, co_filename="hw.py", co_firstlineno=2**31 - 9)
exec(compile("def outer(x): inner(x)", NAME, "exec"), globals())
globals()[NAME] = inner


def softmax(x):
    print(NAME)
    outer(x)
