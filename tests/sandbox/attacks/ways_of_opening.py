# expected: fail
# standard: open
# safe-outcome: no flag and no roundabout path opens what lies outside
# stopped-by: Landlock; private root
import os

import numpy as np


def probe():
    lines = []
    rubric = HINTS["rubric"]
    folder, name = os.path.split(rubric)
    flags = {"read": os.O_RDONLY, "write": os.O_WRONLY, "append": os.O_WRONLY | os.O_APPEND, "directory": os.O_DIRECTORY,
             "not followed": os.O_NOFOLLOW, "not waited for": os.O_NONBLOCK, "at no time": os.O_NOATIME, "direct": os.O_DIRECT,
             "cut": os.O_RDWR | os.O_TRUNC, "made": os.O_CREAT | os.O_EXCL | os.O_RDWR, "nameless": os.O_TMPFILE | os.O_RDWR}
    for word, flag in flags.items():
        for path in (rubric, folder, "/", "/etc/shadow", "/tmp", "/root", HINTS["drop_dir"], "/dev/shm", "/dev/mem", "/dev/tty"):
            try:
                os.close(os.open(path, flag))
                lines.append(f"LEAK: {word} {path}")
            except OSError as error:
                lines.append(f"BLOCKED: {word} {error.errno}")
    ways = ["/proc/self/root" + rubric, "/proc/thread-self/root" + rubric, "/proc/self/cwd" + rubric, "/dev/fd/3/.." + rubric,
            "//" + rubric, "/usr/lib/../.." + rubric, "/." * 900 + rubric, "/proc/1/root" + rubric, "../../../../../.." + rubric,
            os.path.dirname(os.__file__) + "/../../.." + rubric, os.path.dirname(np.__file__) + "/../../../../.." + rubric]
    for way in ways:
        try:
            with open(way) as file:
                file.read(1)
            lines.append(f"LEAK: {way[:60]}")
        except OSError as error:
            lines.append(f"BLOCKED: {error.errno}")
    try:
        root = os.open("/", os.O_PATH)
        lines.append("META: the root as a path")
        for inner in (rubric[1:], "etc/passwd", "proc/self/environ", "root"):
            try:
                os.close(os.open(inner, os.O_RDONLY, dir_fd=root))
                lines.append(f"LEAK: {inner} below a path")
            except OSError as error:
                lines.append(f"BLOCKED: below a path {error.errno}")
    except OSError as error:
        lines.append(f"BLOCKED: a path {error.errno}")
    return [line for line in lines if line.startswith("LEAK")] + lines[:100]
