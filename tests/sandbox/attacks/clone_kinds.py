# expected: fail
# standard: open
# safe-outcome: a thread is all that can be cloned: no namespace, no process, no shared parent
# stopped-by: seccomp looks at the flags; no capabilities
import ctypes
import os


VM, FS, FILES, SIGHAND, PIDFD, PTRACE, VFORK, PARENT = 0x100, 0x200, 0x400, 0x800, 0x1000, 0x2000, 0x4000, 0x8000
THREAD, SIGCHLD = 0x10000, 17
SPACES = {"mount": 0x20000, "cgroup": 0x2000000, "uts": 0x4000000, "ipc": 0x8000000, "user": 0x10000000}
SPACES |= {"pid": 0x20000000, "net": 0x40000000, "time": 0x80}


def probe():
    libc = ctypes.CDLL(None, use_errno=True)
    tries = {f"{name} alone": flag | SIGCHLD for name, flag in SPACES.items()}
    tries |= {f"thread in {name}": flag | THREAD | SIGHAND | VM for name, flag in SPACES.items() if name != "time"}
    tries |= {"process": SIGCHLD, "shared": VM | SIGCHLD, "vfork": VM | VFORK | SIGCHLD, "parent": PARENT | SIGCHLD}
    tries |= {"pidfd": PIDFD | SIGCHLD, "traced": PTRACE | SIGCHLD, "thread without memory": THREAD, "none": 0}
    lines = []
    for name, flags in tries.items():
        done = libc.syscall(56, ctypes.c_ulong(flags), 0, 0, 0, 0)
        if done == 0:
            os._exit(9)
        error = ctypes.get_errno()
        lines.append(f"BLOCKED: {name} {error}" if done < 0 else f"LEAK: {name} {done}")
    for number in (57, 58, 435):
        done = libc.syscall(number, 0, 0, 0)
        if done == 0:
            os._exit(9)
        lines.append(f"BLOCKED: {number}" if done < 0 else f"LEAK: {number}")
    return lines
