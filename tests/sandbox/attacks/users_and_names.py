# expected: fail
# standard: open
# safe-outcome: who runs the grader, who else there is and who is logged in is not told
# stopped-by: no files of the system; private root
import grp
import os
import pwd


def probe():
    lines = []
    tries = {"users": pwd.getpwall, "another": lambda: pwd.getpwuid(1), "groups": grp.getgrall, "login": os.getlogin,
             "capabilities": lambda: open("/proc/self/status").read(), "mounts": lambda: open("/proc/self/mountinfo").read(),
             "hosts": lambda: open("/etc/hosts").read(), "resolver": lambda: open("/etc/resolv.conf").read(), "machine": lambda: open("/etc/machine-id").read(),
             "kernel": lambda: open("/proc/cmdline").read(), "processes": lambda: open("/proc/loadavg").read(), "memory": lambda: open("/proc/meminfo").read()}
    for name, attempt in tries.items():
        try:
            found = attempt()
            lines.append(f"LEAK: {name} {str(found)[:60]}" if found else f"BLOCKED: {name}")
        except (OSError, KeyError, ImportError) as error:
            lines.append(f"BLOCKED: {name} {type(error).__name__}")
    return lines
