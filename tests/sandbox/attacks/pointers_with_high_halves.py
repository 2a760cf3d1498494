# expected: fail
# standard: open
# safe-outcome: an address that is null in its low half only is no null address
# stopped-by: seccomp looks at both halves
import ctypes
import os
import socket


def probe():
    libc = ctypes.CDLL(None, use_errno=True)
    one, _ = socket.socketpair()
    data = ctypes.create_string_buffer(b"x")
    lines = []
    for high in (1, 2, 0x7FFF, 0xFFFFFFFF):
        tries = {
            "sendto": (44, one.fileno(), data, 1, 0, ctypes.c_ulong(high << 32), 16),
            "prlimit64": (302, 0, 7, ctypes.c_ulong(high << 32), 0),
            "prlimit64 of another": (302, os.getppid() or 77, 7, 0, 0),
        }
        for name, call in tries.items():
            done = libc.syscall(*call)
            error = ctypes.get_errno()
            lines.append(f"BLOCKED: {name}" if done < 0 and error == 1 else f"LEAK: {name} {done} {error}")
    return lines
