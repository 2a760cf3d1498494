# expected: fail
# standard: open
# safe-outcome: no signal reaches another process, whatever the number, the sign or the call
# stopped-by: seccomp; pid namespace
import ctypes
import os


def probe():
    libc = ctypes.CDLL(None, use_errno=True)
    own, room = os.getpid(), ctypes.create_string_buffer(128)
    pids = [HINTS["grader_pid"], HINTS["zygote_pid"], HINTS["sibling_pid"], 0, -1, 2]
    lines = []
    for pid in (pid for pid in pids if pid != own):
        calls = {"kill": (62, ctypes.c_long(pid), 0), "kill with high bits": (62, ctypes.c_long((pid & 0xFFFFFFFF) + (1 << 32)), 0),
                 "tkill": (200, ctypes.c_long(pid), 0), "tgkill": (234, ctypes.c_long(pid), ctypes.c_long(pid), 0),
                 "queued": (129, ctypes.c_long(pid), 0, room), "queued to a thread": (297, ctypes.c_long(pid), ctypes.c_long(pid), 0, room),
                 "pidfd_open": (434, ctypes.c_long(pid), 0), "pidfd_send_signal": (424, 3, 0, 0, 0), "getpgid": (121, ctypes.c_long(pid)),
                 "getsid": (124, ctypes.c_long(pid)), "priority": (141, 0, ctypes.c_long(pid), 5), "affinity": (203, ctypes.c_long(pid), 8, room),
                 "scheduler": (144, ctypes.c_long(pid), 0, room), "kcmp": (312, own, ctypes.c_long(pid), 0, 0, 0), "wait4": (61, ctypes.c_long(pid), 0, 1, 0)}
        for name, call in calls.items():
            done = libc.syscall(*call)
            lines.append(f"BLOCKED: {name}" if done < 0 else f"LEAK: {name} {pid} {done}")
    return [line for line in lines if line.startswith("LEAK")] + lines[:60]
