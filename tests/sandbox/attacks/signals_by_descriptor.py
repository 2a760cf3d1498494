# expected: fail
# standard: open
# safe-outcome: no descriptor is made to send signals to another process
# stopped-by: seccomp: only harmless commands of fcntl and ioctl
import fcntl
import os
import struct


def probe():
    lines = []
    for pid in (HINTS["grader_pid"], HINTS["zygote_pid"], HINTS["sibling_pid"], os.getppid() or 1):
        tries = {
            "owner": lambda pid=pid: fcntl.fcntl(3, fcntl.F_SETOWN, pid),
            "owner of a kind": lambda pid=pid: fcntl.fcntl(3, 15, struct.pack("ii", 1, pid)),
            "owner by ioctl": lambda pid=pid: fcntl.ioctl(3, 0x8901, struct.pack("i", pid)),
            "signal": lambda: fcntl.fcntl(3, fcntl.F_SETSIG, 23),  # SIGURG, which is ignored
            "asynchronous by ioctl": lambda: fcntl.ioctl(3, 0x5452, struct.pack("i", 0)),
        }
        for name, attempt in tries.items():
            try:
                attempt()
                lines.append(f"LEAK: {name} {pid}")
            except OSError as error:
                lines.append(f"BLOCKED: {name} {pid} {error.errno}")
    return lines
