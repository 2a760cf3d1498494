# expected: fail
# standard: open
# safe-outcome: a pair of local sockets gives no address, no other end and no descriptor
# stopped-by: seccomp
import ctypes
import socket


def probe():
    libc = ctypes.CDLL(None, use_errno=True)
    lines = []
    target = b"\1\0" + b"\0" + HINTS["abstract"].encode()
    for kind in (1, 2, 5, 3):
        pair = (ctypes.c_int * 2)()
        if libc.syscall(53, 1, kind, 0, pair) < 0:
            lines.append(f"BLOCKED: pair of kind {kind}")
            continue
        one = pair[0]
        for name, call in {
            "connect": (42, one, target, len(target)), "bind": (49, one, target, len(target)), "listen": (50, one, 5), "accept": (43, one, 0, 0),
            "sendto": (44, one, b"x", 1, 0, target, len(target)), "sendmsg": (46, one, target, 0), "sendmmsg": (307, one, target, 1, 0),
            "option": (54, one, 1, 6, b"\1\0\0\0", 4), "filter": (54, one, 1, 26, target, 16), "credentials": (55, one, 1, 17, target, target),
        }.items():
            done = libc.syscall(*call)
            error = ctypes.get_errno()
            lines.append(f"BLOCKED: {name} {kind}" if done < 0 and error == 1 else f"LEAK: {name} {kind} {done} {error}")
    one, other = socket.socketpair()
    one.send(b"x")
    lines.append("INFO: a pair talks to itself" if other.recv(1) == b"x" else "INFO: it does not")
    return lines
