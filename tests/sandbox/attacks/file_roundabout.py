# expected: fail
# standard: open
# safe-outcome: no other way to a file: /proc, descriptors, dot-dot, memory maps
# stopped-by: no /proc; private root; Landlock
import mmap
import os

import numpy as np


def probe():
    rubric = HINTS["rubric"]
    core = np.__file__
    lines = []

    def read(path):
        with open(path, "rb") as file:
            return file.read(40)

    def mapped():
        with open(core, "rb") as file:
            mmap.mmap(file.fileno(), 0, mmap.MAP_SHARED, mmap.PROT_READ | mmap.PROT_WRITE)

    def below():
        at = os.open(os.path.dirname(os.__file__), os.O_RDONLY)
        return os.open("../../../../../../../.." + rubric, os.O_RDONLY, dir_fd=at)

    tries = {
        "proc root": lambda: read("/proc/self/root" + rubric),
        "proc cwd": lambda: read("/proc/self/cwd" + rubric),
        "proc maps": lambda: read("/proc/self/maps"),
        "proc mem": lambda: os.open("/proc/self/mem", os.O_RDWR),
        "proc of parent": lambda: read(f"/proc/{os.getppid()}/environ"),
        "proc of grader": lambda: read(f"/proc/{HINTS['grader_pid']}/cmdline"),
        "descriptor of grader": lambda: os.readlink(f"/proc/{HINTS['grader_pid']}/fd/1"),
        "output of sibling": lambda: os.open(f"/proc/{HINTS['sibling_pid']}/fd/1", os.O_WRONLY),
        "memory of zygote": lambda: read(f"/proc/{HINTS['zygote_pid']}/mem"),
        "dot-dot": below,
        "shared map for writing": mapped,
        "library for writing": lambda: os.open(core, os.O_RDWR),
        "append": lambda: os.open(os.__file__, os.O_APPEND | os.O_WRONLY),
    }
    for name, attempt in tries.items():
        try:
            attempt()
            lines.append(f"LEAK: {name}")
        except OSError as error:
            lines.append(f"BLOCKED: {name} {error.errno}")
    return lines
