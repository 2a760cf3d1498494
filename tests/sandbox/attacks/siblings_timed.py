# expected: fail
# safe-outcome: clocks, loads and counters tell of other processes no more than how busy the machine is
# stopped-by: seccomp; private root
import os
import resource
import time


def probe():
    lines = []
    for name in ("sibling_pid", "grader_pid", "zygote_pid"):
        pid = HINTS[name]
        if pid == os.getpid() or pid == 1:
            continue  # process 1 of its own namespace is itself
        for word, attempt in {
            "clock": lambda: time.clock_gettime(~pid << 3 | 2),
            "affinity": lambda: os.sched_getaffinity(pid),
            "scheduler": lambda: os.sched_getscheduler(pid),
            "interval": lambda: os.sched_rr_get_interval(pid),
            "priority": lambda: os.getpriority(os.PRIO_PROCESS, pid),
            "limits": lambda: resource.prlimit(pid, resource.RLIMIT_CPU),
            "session": lambda: os.getsid(pid),
            "group": lambda: os.getpgid(pid),
            "pidfd": lambda: os.pidfd_open(pid),
            "waiting": lambda: os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG),
        }.items():
            try:
                attempt()
                lines.append(f"META: {word} {name}")
            except (OSError, AttributeError) as error:
                lines.append(f"BLOCKED: {word} {name} {error}")
    return lines or ["INFO: no other process has a number here"]
