# expected: fail
# standard: open
# safe-outcome: no socket of any family or kind; a pair of local sockets leads nowhere
# stopped-by: seccomp
import ctypes
import socket


def probe():
    libc = ctypes.CDLL(None, use_errno=True)
    lines = []
    for family in range(46):
        for kind in (1, 2, 3, 5, 10):
            if libc.socket(family, kind, 0) >= 0:
                lines.append(f"LEAK: socket {family} {kind}")
    ends = (ctypes.c_int * 2)()
    for family in range(2, 46):
        if libc.socketpair(family, 1, 0, ends) >= 0 or libc.socketpair(family, 2, 0, ends) >= 0:
            lines.append(f"LEAK: socketpair {family}")
    try:
        one, other = socket.socketpair()
        one.send(b"x")
        lines.append(f"INFO: a pair of local sockets works: {other.recv(1)}")
    except OSError as error:
        lines.append(f"BLOCKED: pair {error.errno}")
    return [*lines, "BLOCKED: every other family and kind"]
