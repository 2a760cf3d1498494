# expected: fail
# standard: open
# safe-outcome: the memory where environment and arguments lie holds no secret and no path of the grader
# stopped-by: environment built from nothing; blank arguments
import ctypes
import os
import sys


def probe():
    libc = ctypes.CDLL(None)
    pointer = ctypes.POINTER(ctypes.c_char_p).in_dll(libc, "environ")
    lines, at = [], 0
    while pointer[at]:
        lines.append(("LEAK: " if b"TOKEN" in pointer[at] or b"CANARY" in pointer[at] else "BLOCKED: ") + pointer[at][:40].decode("latin-1"))
        at += 1
    first = ctypes.cast(pointer, ctypes.POINTER(ctypes.c_void_p))[0]
    block = b""
    if first:
        low = (first - 2048) & ~4095
        block = ctypes.string_at(low, 4096)
    for word in (b"GITHUB_TOKEN", HINTS["canary_prefix"].encode() + b"-", b"rubric", b"pytest", b"attacks.py"):
        lines.append(f"LEAK: {word!r} beside the environment" if word in block else "BLOCKED: not there")
    lines += [f"LEAK: {name}" for name in os.environ if "TOKEN" in name or "GRADER" in name]
    lines.append("LEAK: arguments" if any(sys.argv) or any(sys.orig_argv) else "BLOCKED: arguments")
    name = ctypes.create_string_buffer(17)
    lines.append("BLOCKED: name" if libc.prctl(16, name, 0, 0, 0) < 0 else f"LEAK: {name.value!r}")
    return lines
