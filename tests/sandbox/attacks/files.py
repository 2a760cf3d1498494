# expected: fail
# standard: open
# safe-outcome: nothing outside the standard library and the listed packages can be read, listed or written
# stopped-by: private root; Landlock; own uid
import os


def probe():
    lines = []
    for path in (HINTS["rubric"], HINTS["oracle"], HINTS["sibling_file"], "/etc/passwd", "/proc/self/environ"):
        try:
            with open(path) as file:
                lines.append(f"LEAK: {path} {file.read()[:40]!r}")
        except OSError as error:
            lines.append(f"BLOCKED: {path} {error.errno}")
    for path in (HINTS["drop_dir"] + "/made", HINTS["rubric"]):
        try:
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY))
            lines.append(f"LEAK: opened {path} for writing")
        except OSError as error:
            lines.append(f"BLOCKED: {path} {error.errno}")
    for path in ("/", "/home", "/tmp", HINTS["drop_dir"]):
        try:
            names = os.listdir(path)
            lines.append(f"LEAK: listed {path} {names[:3]}" if names else f"BLOCKED: {path} is empty")
        except OSError as error:
            lines.append(f"BLOCKED: {path} {error.errno}")
    return lines
