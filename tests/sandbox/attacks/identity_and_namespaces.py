# expected: fail
# standard: open
# safe-outcome: no other user, group, capability, namespace, root or name
# stopped-by: seccomp; dropped capabilities
import ctypes


CALLS = {
    "setuid": (105, 0), "setgid": (106, 0), "setreuid": (113, 0, 0), "setresuid": (117, 0, 0, 0),
    "setgroups": (116, 0, 0), "setfsuid": (122, 0), "setpgid": (109, 0, 0), "setsid": (112,),
    "user namespace": (272, 0x10000000), "mount namespace": (272, 0x20000), "network namespace": (272, 0x40000000),
    "pid namespace": (272, 0x20000000), "files": (272, 0x400), "setns": (308, 3, 0), "chroot": (161, b"/"),
    "pivot_root": (155, b"/", b"/"), "mount": (165, b"none", b"/", b"tmpfs", 0, 0), "umount": (166, b"/", 2),
    "fsopen": (430, b"tmpfs", 0), "open_tree": (428, -100, b"/", 1), "move_mount": (429, -1, b"", -1, b"", 0),
    "sethostname": (170, b"x", 1), "personality": (135, 0x40000), "iopl": (172, 3), "ioperm": (173, 0, 1, 1),
    "modify_ldt": (154, 0, 0, 0), "dumpable": (157, 4, 1, 0, 0, 0), "subreaper": (157, 36, 1, 0, 0, 0),
    "death signal": (157, 1, 0, 0, 0, 0), "keep capabilities": (157, 8, 1, 0, 0, 0), "ptracer": (157, 0x59616D61, -1),
    "securebits": (157, 28, 0, 0, 0, 0), "speculation": (157, 53, 0, 0, 0, 0), "another filter": (317, 1, 0, 0),
    "acct": (163, b"/x"), "umask": (95, 0), "vhangup": (153,), "settimeofday": (164, 0, 0),
}  # fmt: skip


def probe():
    libc = ctypes.CDLL(None, use_errno=True)
    lines = []
    for name, numbers in CALLS.items():
        done = libc.syscall(*numbers)
        error = ctypes.get_errno()
        lines.append(f"BLOCKED: {name} {error}" if done < 0 and error == 1 else f"LEAK: {name} {done} {error}")
    return lines
