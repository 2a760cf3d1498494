# expected: fail
# safe-outcome: no environment, command line or memory of another process can be read, by no name of its folder
# stopped-by: Landlock without /proc or a private root; capabilities dropped; the grader blanks its own
import ctypes
import glob
import os


FILES = ("environ", "cmdline", "comm", "maps", "mem", "auxv", "stat", "status", "task/{0}/environ", "task/{0}/cmdline")


def looked():
    known = [str(HINTS[name]) for name in ("grader_pid", "zygote_pid", "sibling_pid")]
    seen = [path.rpartition("/")[2] for path in glob.glob("/proc/[0-9]*")]
    for pid in dict.fromkeys([*known, *seen, *map(str, range(1, 400)), "self/../1", "thread-self/../../1"]):
        for name in FILES:
            path = f"/proc/{pid}/{name.format(pid)}"
            try:
                with open(path, "rb") as file:
                    data = file.read(1 << 16) if name != "mem" else b"open"
            except (OSError, ValueError):
                continue
            if pid != str(os.getpid()):
                yield path, data


def probe():
    mark = HINTS["canary_prefix"].encode()
    lines = ["BLOCKED: nothing more"]
    for path, data in looked():
        own = path.endswith(("environ", "cmdline", "mem", "maps")) or mark in data
        lines.append(("LEAK: " if own else "LEAK: seen ") + path)
    libc = ctypes.CDLL(None, use_errno=True)
    for pid in (HINTS["grader_pid"], os.getppid()):
        room, there = ctypes.create_string_buffer(64), (ctypes.c_void_p * 2)(0x400000, 64)
        here = (ctypes.c_void_p * 2)(ctypes.addressof(room), 64)
        if libc.process_vm_readv(pid, here, 1, there, 1, 0) > 0 or libc.ptrace(0x4206, pid, 0, 0) == 0:
            lines.append(f"LEAK: the memory of {pid}")
    return lines[:40]
