# expected: fail
# standard: open
# safe-outcome: the metadata of files tells nothing where there is a private root
# stopped-by: mount namespace
import os


def probe():
    lines = []
    for path in (HINTS["rubric"], HINTS["sibling_file"], "/etc/shadow", "/etc/hostname", "/proc/1", HINTS["drop_dir"]):
        for name, look in (("stat", os.stat), ("listxattr", os.listxattr), ("statvfs", os.statvfs)):
            try:
                look(path)
                lines.append(f"META: {name} {path}" if name == "stat" else f"LEAK: {name} {path}")
            except OSError as error:
                lines.append(f"BLOCKED: {name} {path} {error.errno}")
    return lines
