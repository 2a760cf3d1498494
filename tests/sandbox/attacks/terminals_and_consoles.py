# expected: fail
# safe-outcome: no terminal, console or pseudo terminal to type into
# stopped-by: no devices; seccomp
import os
import pty
import termios


def probe():
    lines = []
    paths = ["/dev/tty", "/dev/console", "/dev/ptmx", "/dev/pts/0", "/dev/pts/ptmx", "/dev/tty0", "/dev/ttyS0", "/dev/vcs", "/dev/kmsg", "/dev/input/event0"]
    tries = {path: (lambda path=path: os.open(path, os.O_RDWR)) for path in paths}
    tries |= {"openpty": os.openpty, "fork": pty.fork, "forkpty": os.forkpty, "session": os.setsid, "group": lambda: os.setpgid(0, 0),
              "control": lambda: os.tcsetpgrp(0, os.getpid()), "attributes": lambda: termios.tcsetattr(1, 0, [0] * 6 + [[b"0"] * 32])}
    for name, attempt in tries.items():
        try:
            if attempt() == 0 and "fork" in name:
                os._exit(0)
            lines.append(f"LEAK: {name}")
        except (OSError, termios.error) as error:
            lines.append(f"BLOCKED: {name} {error.args[0]}")
    return lines
