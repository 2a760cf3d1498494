# expected: fail
# standard: open
# safe-outcome: no byte of another process is read or written, by any call
# stopped-by: seccomp; not dumpable; pid namespace
import ctypes
import os


class Range(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("size", ctypes.c_size_t)]


def probe():
    libc = ctypes.CDLL(None, use_errno=True)
    room = ctypes.create_string_buffer(64)
    here, there = Range(ctypes.addressof(room), 64), Range(ctypes.addressof(room), 64)
    lines = []
    for name, pid in {**{key: HINTS[key] for key in ("grader_pid", "zygote_pid", "sibling_pid")}, "parent": os.getppid(), "own": os.getpid()}.items():
        for word, number in {"read": 310, "write": 311}.items():
            done = libc.syscall(number, pid, ctypes.byref(here), 1, ctypes.byref(there), 1, 0)
            lines.append(f"BLOCKED: {word} {name}" if done < 0 else f"LEAK: {word} {name}")
        for request in (1, 2, 0x4206, 0x420E):  # none that stops its target
            done = libc.syscall(101, request, pid, 0, 0)
            lines.append(f"BLOCKED: ptrace {request} {name}" if done < 0 else f"LEAK: ptrace {request} {name}")
        for file in ("mem", "maps", "environ", "cmdline", "auxv", "syscall", "stack", "status", "fdinfo/3", "map_files", "root", "task", "ns/user", "pagemap", "smaps", "wchan", "timers", "io", "oom_score_adj"):
            for flag in (os.O_RDONLY, os.O_RDWR, os.O_WRONLY):
                try:
                    os.close(os.open(f"/proc/{pid}/{file}", flag))
                    own = name == "own" and file.startswith("ns/")  # a name for where it is already, and no way elsewhere
                    lines.append(f"META: {file}" if own else f"LEAK: {file} of {name}")
                except OSError:
                    lines.append(f"BLOCKED: {file} of {name}")
        for number in (440, 448, 438, 256, 279, 272, 308):
            done = libc.syscall(number, pid, 0, 0, 0, 0, 0)
            lines.append(f"BLOCKED: {number} {name}" if done < 0 else f"LEAK: {number} {name}")
    return [line for line in lines if line.startswith("LEAK")] + lines[:80]
