# expected: fail
# standard: open
# safe-outcome: no control of a device, terminal, file system or socket through the open descriptors
# stopped-by: seccomp names the few harmless commands
import ctypes


HARMLESS = {0x5401, 0x5413, 0x541B, 0x5451, 0x5450, 0x5421}
MORE = [0x6601, 0x6602, 0x80086601, 0x40086602, 0x40049409, 0xC0189436, 0x1260, 0x125D, 0x127A, 0x2000, 0x2201, 0xB701]
MORE += [0xAE00, 0xAE01, 0x4004667F, 0xC0046686, 0x5452 | 1 << 32, 0x5412 | 1 << 40, 0xB701 | 1 << 32]


def probe():
    libc = ctypes.CDLL(None, use_errno=True)
    room = ctypes.create_string_buffer(4096)
    lines = []
    for fd in range(4):
        taken = 0
        for command in [*range(0x5400, 0x5470), *range(0x8900, 0x89C0), *MORE]:
            if command in HARMLESS:
                continue
            done = libc.syscall(16, fd, ctypes.c_ulong(command), room)
            if done >= 0 or ctypes.get_errno() != 1:
                lines.append(f"LEAK: ioctl {fd} {command:x} {done} {ctypes.get_errno()}")
            taken += 1
        lines.append(f"BLOCKED: {taken} commands on {fd}")
    return lines
