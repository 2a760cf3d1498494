# expected: fail
# standard: open
# safe-outcome: no socket that reaches anything
# stopped-by: seccomp; network namespace; Landlock
import socket


def probe():
    lines = []
    tries = {
        "tcp": lambda: socket.create_connection(("127.0.0.1", HINTS["tcp_port"]), 1),
        "udp": lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", HINTS["udp_port"])),
        "abstract": lambda: socket.socket(socket.AF_UNIX).connect("\0" + HINTS["abstract"]),
        "pair": lambda: socket.socketpair(socket.AF_INET),
    }
    for name, attempt in tries.items():
        try:
            attempt()
            lines.append(f"LEAK: {name}")
        except OSError as error:
            lines.append(f"BLOCKED: {name} {error}")
    return lines
