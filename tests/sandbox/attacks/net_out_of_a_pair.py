# expected: fail
# standard: open
# safe-outcome: a pair of local sockets is no way out: no address, no descriptor passes through it
# stopped-by: seccomp: sendto without an address; no connect, bind, sendmsg
import array
import socket


def probe():
    try:
        stream, _ = socket.socketpair()
        packets, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    except OSError as error:
        return [f"BLOCKED: pair {error.errno}"]
    wire = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, fileno=3)
    name = "\0" + HINTS["abstract"]
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0]))]
    tries = {
        "send to a name": lambda: packets.sendto(b"x", name),
        "send to a path": lambda: packets.sendto(b"x", HINTS["drop_dir"] + "/socket"),
        "connect to a name": lambda: packets.connect(name),
        "connect a stream": lambda: stream.connect(name),
        "bind": lambda: packets.bind("\0own-net-out-of-a-pair"),
        "listen": stream.listen,
        "accept": stream.accept,
        "descriptors to the pair": lambda: stream.sendmsg([b"x"], rights),
        "descriptors to the grader": lambda: wire.sendmsg([b"x"], rights),
        "credentials": lambda: stream.setsockopt(socket.SOL_SOCKET, 16, 1),
        "buffers": lambda: stream.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 30),
        "who is there": lambda: wire.getsockopt(socket.SOL_SOCKET, 17, 12),
    }
    lines = []
    for what, attempt in tries.items():
        try:
            attempt()
            lines.append(f"LEAK: {what}")
        except OSError as error:
            lines.append(f"BLOCKED: {what} {error.errno}")
    wire.detach()
    return lines
