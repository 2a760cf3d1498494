# expected: fail
# standard: open
# safe-outcome: no priority, scheduler, processor or limit is changed
# stopped-by: seccomp; hard limits
import ctypes
import os
import resource


def probe():
    libc = ctypes.CDLL(None, use_errno=True)

    def raw(*numbers):
        if libc.syscall(*numbers) < 0:
            raise OSError(ctypes.get_errno(), "refused")

    tries = {
        "nice": lambda: os.nice(1),
        "priority": lambda: os.setpriority(os.PRIO_PROCESS, 0, 5),
        "priority of the user": lambda: os.setpriority(os.PRIO_USER, 0, 19),
        "scheduler": lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)),
        "scheduler attributes": lambda: raw(314, 0, ctypes.create_string_buffer(56), 0),
        "affinity": lambda: os.sched_setaffinity(0, [0]),
        "input and output": lambda: raw(251, 1, 0, 0),
        "memory policy": lambda: raw(238, 0, 0, 0),
        "lock memory": lambda: raw(151, 1),
        "drop a limit": lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)),
        "raise processor time": lambda: resource.prlimit(0, resource.RLIMIT_CPU, (1 << 20, 1 << 20)),
        "out-of-memory score": lambda: os.open("/proc/self/oom_score_adj", os.O_WRONLY),
    }
    lines = []
    for name, attempt in tries.items():
        try:
            attempt()
            lines.append(f"LEAK: {name}")
        except (OSError, ValueError) as error:
            lines.append(f"BLOCKED: {name} {error}")
    return lines
