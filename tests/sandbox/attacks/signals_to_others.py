# expected: fail
# standard: open
# safe-outcome: no signal to a group, to everybody, to a thread of another, or by a queue
# stopped-by: seccomp; pid namespace; own uid
import ctypes
import os


def probe():
    libc = ctypes.CDLL(None, use_errno=True)
    lines = []
    info = ctypes.create_string_buffer(128)
    same = (ctypes.c_uint64 * 2)(1 << 20, 1 << 20)  # descriptors: no harm where it works
    for pid in (HINTS["grader_pid"], HINTS["zygote_pid"], HINTS["sibling_pid"], os.getppid() or HINTS["zygote_pid"]):
        tries = {
            "kill": (62, pid, 0), "group": (62, -pid, 0), "tgkill": (234, pid, pid, 0), "tkill": (200, pid, 0),
            "queue": (129, pid, 0, info), "thread queue": (297, pid, pid, 0, info), "pidfd": (434, pid, 0),
            "priority of another": (141, 0, pid, 0), "limits of another": (302, pid, 7, same, 0),
            "limits read": (302, pid, 7, 0, info),
            "affinity of another": (203, pid, 8, info), "memory of another": (310, pid, info, 1, info, 1, 0),
            "memory map of another": (440, pid, info, 1, 4, 0), "compare": (312, pid, pid, 0, 0, 0),
        }  # fmt: skip
        for name, numbers in tries.items():
            done = libc.syscall(*numbers)
            lines.append(f"LEAK: {name} {pid}" if done >= 0 else f"BLOCKED: {name} {pid} {ctypes.get_errno()}")
    for name, target in (("everybody", -1), ("own group", 0)):
        done = libc.syscall(62, target, 0)
        lines.append(f"LEAK: {name}" if done >= 0 else f"BLOCKED: {name} {ctypes.get_errno()}")
    return lines
