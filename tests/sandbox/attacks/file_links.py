# expected: fail
# standard: open
# safe-outcome: hard links, symbolic links, hidden files, renames and times change nothing outside
# stopped-by: private root; Landlock; seccomp
import os

import numpy as np


def probe():
    rubric, drop = HINTS["rubric"], HINTS["drop_dir"]
    tries = {
        "hard link": lambda: os.link(rubric, drop + "/rubric"),
        "symbolic link": lambda: os.symlink(rubric, drop + "/.link"),
        "hidden file": lambda: os.open(drop + "/.hidden", os.O_CREAT | os.O_WRONLY),
        "nameless file": lambda: os.open(drop, os.O_TMPFILE | os.O_RDWR),
        "folder": lambda: os.mkdir(drop + "/folder"),
        "fifo": lambda: os.mkfifo(drop + "/fifo"),
        "rename": lambda: os.rename(HINTS["sibling_file"], HINTS["sibling_file"] + "~"),
        "unlink": lambda: os.unlink(HINTS["sibling_file"]),
        "truncate": lambda: os.truncate(rubric, 0),
        "mode": lambda: os.chmod(rubric, 0o600),
        "owner": lambda: os.chown(rubric, -1, -1),
        "times": lambda: os.utime(rubric),
        "attribute": lambda: os.setxattr(rubric, "user.note", b"x"),
        "in /dev/shm": lambda: os.open("/dev/shm/.own", os.O_CREAT | os.O_WRONLY),
        "in /var/tmp": lambda: os.open("/var/tmp/.own", os.O_CREAT | os.O_WRONLY),
        "in the current folder": lambda: os.open(".own", os.O_CREAT | os.O_WRONLY),
        "beside numpy": lambda: os.open(os.path.dirname(np.__file__) + "/.own", os.O_CREAT | os.O_WRONLY),
    }
    lines = []
    for name, attempt in tries.items():
        try:
            attempt()
            lines.append(f"LEAK: {name}")
        except OSError as error:
            lines.append(f"BLOCKED: {name} {error.errno}")
    return lines
