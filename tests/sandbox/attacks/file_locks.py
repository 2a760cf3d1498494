# expected: fail
# standard: open
# safe-outcome: no lock, lease or notice on a file that others read too
# stopped-by: seccomp: only harmless commands of fcntl
import fcntl
import os
import struct


def probe():
    fd = os.open(os.__file__, os.O_RDONLY)
    folder = os.open(os.path.dirname(os.__file__), os.O_RDONLY)
    lock = struct.pack("hhqqi4x", fcntl.F_RDLCK, 0, 0, 0, 0)
    tries = {
        "flock": lambda: fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB),
        "record lock": lambda: fcntl.fcntl(fd, fcntl.F_SETLK, lock),
        "open file lock": lambda: fcntl.fcntl(fd, 37, lock),
        "lease": lambda: fcntl.fcntl(fd, 1024, fcntl.F_RDLCK),
        "notice of changes": lambda: fcntl.fcntl(folder, 1026, 1),
        "write hint": lambda: fcntl.fcntl(fd, 1036, struct.pack("Q", 5)),
    }
    lines = []
    for name, attempt in tries.items():
        try:
            attempt()
            lines.append(f"LEAK: {name}")
        except OSError as error:
            lines.append(f"BLOCKED: {name} {error.errno}")
    return lines
