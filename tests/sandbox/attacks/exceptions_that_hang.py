# expected: timeout|exc|crash|protocol
# safe-outcome: an exception that never tells what it is ends at the wall limit
# stopped-by: deadlines in the grader
import time

import numpy as np


class Endless(Exception):
    def __str__(self):
        while True:
            time.sleep(1)


class Trace(Exception):
    @property
    def __traceback__(self):
        return self

    tb_next = property(lambda self: self)
    tb_frame = property(lambda self: self)
    f_code = property(lambda self: self)
    co_filename, co_name, tb_lineno = "hw.py", "x", 1


class Kind(type):
    def __getattribute__(cls, name):
        raise MemoryError(name)


class Silent(Exception, metaclass=Kind):
    pass


class Deep(Exception):
    def __str__(self):
        return str(self)


class Text(str):
    def __getitem__(self, at):
        return "\x1b]0;owned\x07" * 10**6


class Cut(Exception):
    def __str__(self):
        return Text("::error::")


def softmax(x):
    raise (Endless, Trace, Silent, Deep, Cut, type("E\x1b[2J</script>" * 999, (Exception,), {}))[HINTS["variant"]]
