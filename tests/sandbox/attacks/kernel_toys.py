# expected: fail
# standard: open
# safe-outcome: keys, bpf, page faults, rings, counters, watches, queues and pipes to splice are refused
# stopped-by: seccomp
import ctypes


CALLS = {
    "add_key": 248, "request_key": 249, "keyctl": 250, "bpf": 321, "userfaultfd": 323, "io_uring_setup": 425,
    "io_uring_enter": 426, "perf_event_open": 298, "memfd_create": 319, "memfd_secret": 447, "pidfd_getfd": 438,
    "io_setup": 206, "inotify_init1": 294, "fanotify_init": 300, "signalfd4": 289, "timerfd_create": 283,
    "timer_create": 222, "mq_open": 240, "semget": 64, "msgget": 68, "shmget": 29, "shmat": 30, "splice": 275,
    "tee": 276, "vmsplice": 278, "sendfile": 40, "copy_file_range": 326, "pipe": 22, "name_to_handle_at": 303,
    "open_by_handle_at": 304, "openat2": 437, "open_tree": 428, "execveat": 322, "process_madvise": 440,
    "process_mrelease": 448, "landlock_create": 444, "mount_setattr": 442, "quotactl": 179, "syslog": 103,
    "kcmp": 312, "lookup_dcookie": 212, "migrate_pages": 256, "move_pages": 279, "get_mempolicy": 239,
    "remap_file_pages": 216, "mseal": 462, "futex_waitv": 449, "cachestat": 451, "statmount": 457, "ustat": 136,
    "sysfs": 139, "_sysctl": 156, "uselib": 134, "pkey_alloc": 330, "rt_tgsigqueueinfo": 297, "arch_prctl": 158,
    "set_thread_area": 205, "x32 write": 0x40000001, "past the table": 4000, "negative": -1,
}  # fmt: skip


def probe():
    libc = ctypes.CDLL(None, use_errno=True)
    lines = []
    for name, number in CALLS.items():
        done = libc.syscall(number, 0, 0, 0, 0, 0, 0)
        error = ctypes.get_errno()
        lines.append(f"BLOCKED: {name}" if done < 0 and error in (1, 38) else f"LEAK: {name} {done} {error}")
    return lines
