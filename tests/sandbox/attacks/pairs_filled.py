# expected: fail|exc
# safe-outcome: pairs of sockets filled to the brim hold a bounded amount of the kernel's memory
# stopped-by: RLIMIT_NOFILE
import os
import socket


held = []


def probe():
    total = 0
    try:
        while len(held) < 200:
            held.append(socket.socketpair())
            for end in held[-1]:
                end.setblocking(False)
                try:
                    while True:
                        total += end.send(b"x" * 65536)
                except BlockingIOError:
                    pass
    except OSError as error:
        return [f"BLOCKED: after {len(held)} pairs and {total} bytes, {error.errno}"]
    return [f"LEAK: {len(held)} pairs hold {total} bytes"]
