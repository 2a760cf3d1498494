# expected: fail
# standard: open
# safe-outcome: no lock, lease, seal, owner, signal or pipe size is set on an open descriptor
# stopped-by: seccomp names the few harmless commands
import ctypes


HARMLESS = {0, 1, 2, 3, 4, 1030}


def probe():
    libc = ctypes.CDLL(None, use_errno=True)
    room = ctypes.create_string_buffer(64)
    lines = []
    for fd in range(4):
        for command in [*range(5, 45), *range(1024, 1060), 0x8, 0xA, 15, 16]:
            if command in HARMLESS:
                continue
            for bits in (0, 1 << 32):
                done = libc.syscall(72, fd, ctypes.c_ulong(command + bits), room)
                if done >= 0 or ctypes.get_errno() != 1:
                    lines.append(f"LEAK: fcntl {fd} {command} {done} {ctypes.get_errno()}")
        lines.append(f"BLOCKED: commands on {fd}")
    for number in (73, 221, 285, 74, 75, 77):  # flock, fadvise, fallocate, fsync, fdatasync, ftruncate
        done = libc.syscall(number, 0, 1, 0, 0)
        lines.append(f"BLOCKED: {number}" if done < 0 and ctypes.get_errno() == 1 else f"LEAK: {number}")
    return lines
