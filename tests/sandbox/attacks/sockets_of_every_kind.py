# expected: fail
# standard: open
# safe-outcome: no socket of any family, kind and protocol, and none through a library
# stopped-by: seccomp; net namespace
import asyncio
import ctypes
import multiprocessing.connection
import socket
import socketserver
import xmlrpc.client


def probe():
    libc = ctypes.CDLL(None, use_errno=True)
    lines, opened = [], 0
    for family in range(0, 46):
        for kind in (1, 2, 3, 4, 5, 6, 10, 1 | 0o4000, 2 | 0o2000000):
            for protocol in (0, 1, 6, 17, 255, 16, 31):
                done = libc.syscall(41, family, kind, protocol)
                if done >= 0:
                    opened += 1
                    lines.append(f"LEAK: socket {family} {kind} {protocol}")
    lines.append(f"BLOCKED: {opened} opened")
    for family in range(2, 46):
        pair = (ctypes.c_int * 2)()
        if libc.syscall(53, family, 1, 0, pair) >= 0:
            lines.append(f"LEAK: a pair of family {family}")
    port = HINTS["tcp_port"]
    tries = {
        "connect": lambda: socket.create_connection(("127.0.0.1", port), 1), "server": lambda: socketserver.TCPServer(("", 0), None),
        "listener": lambda: multiprocessing.connection.Listener(("127.0.0.1", 0)), "client": lambda: multiprocessing.connection.Client(("127.0.0.1", port)),
        "asyncio": lambda: asyncio.run(asyncio.open_connection("127.0.0.1", port)), "name": lambda: socket.getaddrinfo("localhost", 80, type=1),
        "xml": lambda: xmlrpc.client.ServerProxy(f"http://127.0.0.1:{port}").x(), "unix": lambda: socket.socket(socket.AF_UNIX).connect("\0" + HINTS["abstract"]),
        "interfaces": lambda: [1 / 0 for _ in socket.if_nameindex()],
    }
    for name, attempt in tries.items():
        try:
            found = attempt()
            lines.append(f"INFO: {name} {len(found)}" if name in ("name", "interfaces") else f"LEAK: {name}")
        except (OSError, ZeroDivisionError) as error:
            lines.append(f"LEAK: {name}" if type(error) is ZeroDivisionError else f"BLOCKED: {name} {type(error).__name__}")
    return lines
