# expected: fail
# standard: open
# safe-outcome: no limit is raised, no process is signalled, no priority or identity changed
# stopped-by: seccomp; hard limits; dropped privileges
import os
import resource


def probe():
    lines = []
    tries = {
        "signal everybody": lambda: os.kill(-1, 0),
        "signal the group": lambda: os.killpg(1, 0),
        "session": os.setsid,
        "priority": lambda: os.nice(-5),
        "processors": lambda: os.sched_setaffinity(0, [0]),
        "become root": lambda: os.setuid(0),
        "change root": lambda: os.chroot("/"),
        "process descriptor": lambda: os.pidfd_open(HINTS["zygote_pid"]),
    }
    for name, attempt in tries.items():
        try:
            attempt()
            lines.append(f"LEAK: {name}")
        except OSError as error:
            lines.append(f"BLOCKED: {name} {error.errno}")
    for name in ("RLIMIT_AS", "RLIMIT_CPU", "RLIMIT_FSIZE", "RLIMIT_NOFILE"):
        try:
            resource.setrlimit(getattr(resource, name), (1 << 40, 1 << 40))
            lines.append(f"LEAK: {name}")
        except (OSError, ValueError) as error:
            lines.append(f"BLOCKED: {name} {error}")
    return lines
