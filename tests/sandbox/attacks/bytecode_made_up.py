# expected: fail|exc|crash|timeout
# safe-outcome: code objects that no compiler would write break this child only
# stopped-by: own process; SIGKILL
import marshal
import types

import numpy as np


def softmax(x):
    kind = HINTS["variant"]
    code = (lambda a: a).__code__
    if kind == 0:
        return types.FunctionType(code.replace(co_code=bytes(range(256)) * 8, co_stacksize=1), {})(x)
    if kind == 1:
        return types.FunctionType(code.replace(co_code=b"d\xff" * 40 + b"S\0", co_stacksize=0), {})(x)
    if kind == 2:
        return marshal.loads(b"[\xff\xff\xff\x7f" + b"r\0\0\0\0" * 99)
    if kind == 3:
        return marshal.loads(b"(\x01\0\0\0" * 3000 + b"N")
    if kind == 4:
        return types.FunctionType(code.replace(co_nlocals=0, co_varnames=(), co_argcount=0, co_code=b"|\x09S\0"), {})()
    return types.FunctionType(code.replace(co_firstlineno=2**31 - 1, co_linetable=b"\xff" * 999), {})(x, x)
