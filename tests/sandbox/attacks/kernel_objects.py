# expected: fail
# standard: open
# safe-outcome: no ring, map, probe, counter, key, page fault handler, landlock layer or module
# stopped-by: seccomp
import ctypes
import struct


def probe():
    libc = ctypes.CDLL(None, use_errno=True)
    room = ctypes.create_string_buffer(4096)
    path = HINTS["rubric"].encode()
    calls = {
        "io_uring_setup": (425, 8, room), "io_uring_enter": (426, 3, 1, 1, 1, 0, 0), "io_uring_register": (427, 3, 0, room, 1), "io_setup": (206, 8, room),
        "bpf map": (321, 0, struct.pack("IIII", 1, 4, 4, 4) + bytes(112), 128), "bpf program": (321, 5, room, 128), "bpf object": (321, 7, room, 128),
        "perf": (298, room, 0, -1, -1, 0), "perf of all": (298, room, -1, 0, -1, 0), "userfaultfd": (323, 1), "userfaultfd nonblock": (323, 0o4000),
        "add_key": (248, b"user", b"left", b"x", 1, -3), "request_key": (249, b"user", b"left", 0, -3), "keyctl": (250, 0, -3, 1), "keyctl join": (250, 1, b"left"),
        "landlock": (444, 0, 0, 1), "seccomp": (317, 0, 0, 0), "seccomp filter": (317, 1, 0, room), "seccomp notify": (317, 1, 8, room),
        "init_module": (175, room, 99, b""), "finit_module": (313, 3, b"", 0), "delete_module": (176, b"x", 0), "kexec": (246, 0, 0, 0, 0), "reboot": (169, 0, 0, 0, 0),
        "syslog": (103, 3, room, 99), "settimeofday": (164, room, 0), "clock_settime": (227, 0, room), "adjtimex": (159, room), "sethostname": (170, b"x", 1),
        "setdomainname": (171, b"x", 1), "iopl": (172, 3), "ioperm": (173, 0, 1, 1), "modify_ldt": (154, 0, room, 16), "personality": (135, 0xFFFFFFFF),
        "vhangup": (153,), "setuid": (105, 0), "setresuid": (117, 0, 0, 0), "setgroups": (116, 0, room), "setfsuid": (122, 0), "capset": (126, room, room), "capget": (125, room, room),
        "unshare user": (272, 0x10000000), "unshare files": (272, 0x400), "setns": (308, 3, 0), "setsid": (112,), "setpgid": (109, 0, 0), "umask": (95, 0),
        "setrlimit": (160, 7, room), "ioprio_set": (251, 1, 0, 0), "sched_setattr": (314, 0, room, 0), "sched_setaffinity": (203, 0, 8, room), "nice": (141, 0, 0, 19),
        "timer_create": (222, 0, 0, room), "timerfd": (283, 0, 0), "signalfd": (289, -1, room, 8, 0), "inotify": (294, 0), "fanotify": (300, 0, 0), "epoll_create": (213, 1),
        "pkey_alloc": (330, 0, 0), "map_shadow_stack": (453, 0, 4096, 0), "lsm_get_self_attr": (459, 100, room, room, 0), "listmount": (458, room, room, 9, 0),
        "set_robust of another": (274, 1, room, room), "rt_sigqueueinfo": (129, 1, 0, room), "process_vm": (310, 1, room, 1, room, 1, 0), "file attributes": (468, -100, path, room, 64, 0),
    }
    lines = []
    for name, call in calls.items():
        done = libc.syscall(*call)
        error = ctypes.get_errno()
        lines.append(f"BLOCKED: {name}" if done < 0 and error in (1, 38) else f"LEAK: {name} {done} {error}")
    return lines
