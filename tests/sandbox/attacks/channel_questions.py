# expected: fail
# standard: open
# safe-outcome: the channel tells nothing of who is at its other end, and passes no descriptor
# stopped-by: seccomp refuses every call on sockets but reading and writing
import ctypes
import os
import socket


def probe():
    libc = ctypes.CDLL(None, use_errno=True)
    room, size = ctypes.create_string_buffer(256), ctypes.c_uint(256)
    lines = []
    for option in (2, 7, 8, 16, 17, 26, 31, 39, 51, 55, 57, 59, 76, 77):
        for number in (54, 55):  # setsockopt, getsockopt
            done = libc.syscall(number, 3, 1, option, room, ctypes.byref(size) if number == 55 else 4)
            lines.append(f"BLOCKED: {number} {option}" if done < 0 else f"LEAK: {number} {option} {room.raw[:12]!r}")
    for name, number in {"getsockname": 51, "getpeername": 52, "shutdown": 48, "sendmsg": 46, "recvmsg": 47,
                         "sendmmsg": 307, "recvmmsg": 299, "listen": 50, "accept4": 288, "connect": 42, "bind": 49}.items():
        done = libc.syscall(number, 3, room, ctypes.byref(size), 0, 0)
        error = ctypes.get_errno()
        lines.append(f"BLOCKED: {name}" if done < 0 and error == 1 else f"LEAK: {name} {done} {error}")
    for name, attempt in {
        "socket object": lambda: socket.socket(fileno=os.dup(3)).getpeername(),
        "descriptor sent": lambda: socket.send_fds(socket.socketpair()[0], [b"x"], [3]),
        "descriptor received": lambda: socket.recv_fds(socket.socketpair()[0], 1, 1),
    }.items():
        try:
            attempt()
            lines.append(f"LEAK: {name}")
        except OSError as error:
            lines.append(f"BLOCKED: {name} {error.errno}")
    return lines
