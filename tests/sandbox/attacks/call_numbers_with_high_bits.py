# expected: fail
# standard: open
# safe-outcome: a number that the kernel would cut to 32 bits is refused as what it is cut to
# stopped-by: seccomp sees the number that the kernel uses
import ctypes


NUMBERS = {"socket": 41, "shmget": 29, "memfd_create": 319, "unshare": 272, "ptrace": 101, "mount": 165, "openat2": 437}


def probe():
    libc = ctypes.CDLL(None, use_errno=True)
    lines = []
    for name, number in NUMBERS.items():
        for bits in (0, 1 << 32, 1 << 33, 1 << 62, 1 << 30, 1 << 31, -1 << 32):
            done = libc.syscall(ctypes.c_long(number + bits), 1, 1, 0, 0, 0, 0)
            error = ctypes.get_errno()
            blocked = done < 0 and error in (1, 38)
            lines.append(f"BLOCKED: {name} {bits:x}" if blocked else f"LEAK: {name} {bits:x} {done} {error}")
    return lines
