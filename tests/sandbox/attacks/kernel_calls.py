# expected: fail
# standard: open
# safe-outcome: calls past the allow-list are refused, by number and by both entry tables
# stopped-by: seccomp
import ctypes


CALLS = {
    "socket": 41, "clone": 56, "fork": 57, "vfork": 58, "execve": 59, "kill": 62, "mkdir": 83, "link": 86,
    "symlink": 88, "chmod": 90, "ptrace": 101, "setuid": 105, "mknod": 133, "pivot_root": 155, "mount": 165,
    "unshare": 272, "memfd_create": 319, "bpf": 321, "userfaultfd": 323, "io_uring_setup": 425, "open_tree": 428,
    "clone3": 435, "pidfd_open": 434, "shmget": 29, "process_vm_readv": 310, "keyctl": 250, "setns": 308,
    "x32 open": 0x40000002,
}


def probe():
    libc = ctypes.CDLL(None, use_errno=True)
    lines = []
    for name, number in CALLS.items():
        done = libc.syscall(number, 2, 0, 0, 0, 0, 0)
        error = ctypes.get_errno()
        lines.append(f"BLOCKED: {name}" if done < 0 and error in (1, 38) else f"LEAK: {name} {done} {error}")
    return lines
