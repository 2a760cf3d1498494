# kind: archive
# expected: refused
# safe-outcome: links, pipes, devices and sockets by their mode are refused, wherever they lie
# stopped-by: only regular files
import os
import stat
import zipfile


def build(folder, hints):
    path = os.path.join(folder, f"work{HINTS['variant']}.zip")
    kind = (stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR, stat.S_IFBLK, stat.S_IFSOCK, stat.S_IFLNK)[hints["variant"]]
    with zipfile.ZipFile(path, "w") as archive:
        info = zipfile.ZipInfo("hw.py" if hints["variant"] < 5 else "deep/er/notes.md")
        info.create_system = 3
        info.external_attr = (kind | 0o777) << 16
        archive.writestr(info, hints["oracle"])
        archive.writestr("main.py", "def softmax(x): return x * 0\n")
    return path
