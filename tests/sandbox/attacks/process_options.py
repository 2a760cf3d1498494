# expected: fail
# standard: open
# safe-outcome: no option of prctl but the name of a thread: not dumpable, no other death signal, no tracer
# stopped-by: seccomp
import ctypes


def probe():
    libc = ctypes.CDLL(None, use_errno=True)
    options = [number for number in range(1, 90) if number != 15] + [0x41555856, 0x53564D41, 0x59616D61]
    lines = []
    for number in options:
        done = libc.syscall(157, ctypes.c_long(number), 1, 0, 0, 0)
        lines.append(f"BLOCKED: prctl {number}" if done < 0 else f"LEAK: prctl {number} {done}")
    for code in range(0x1001, 0x1006):
        done = libc.syscall(158, ctypes.c_long(code), 0)
        lines.append("BLOCKED: arch_prctl" if done < 0 else f"LEAK: arch_prctl {code:x}")
    return lines
