# expected: fail
# standard: open
# safe-outcome: no process is started, none is signalled, none is traced
# stopped-by: seccomp; pid namespace; own uid
import ctypes
import os
import subprocess


def probe():
    lines = []
    libc = ctypes.CDLL(None, use_errno=True)
    pids = [HINTS["grader_pid"], HINTS["zygote_pid"], HINTS["sibling_pid"]]

    def forked():
        if os.fork() == 0:
            os._exit(0)

    tries = {
        "fork": forked,
        "subprocess": lambda: subprocess.run(["/bin/true"], check=True),
        "exec": lambda: os.execv("/bin/true", ["true"]),
        **{f"signal {pid}": lambda pid=pid: os.kill(pid, 0) for pid in pids},
    }
    for name, attempt in tries.items():
        try:
            attempt()
            lines.append(f"LEAK: {name}")
        except OSError as error:
            lines.append(f"BLOCKED: {name} {error.errno}")
    for pid in pids:
        done = libc.syscall(101, 0x4206, pid, 0, 0)  # PTRACE_SEIZE leaves its target running
        lines.append(f"LEAK: ptrace {pid}" if done >= 0 else f"BLOCKED: ptrace {ctypes.get_errno()}")
    return lines
