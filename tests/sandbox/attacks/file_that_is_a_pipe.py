# kind: archive
# expected: refused
# safe-outcome: a hand-in that is a pipe, a device or a folder in disguise is refused without waiting
# stopped-by: opened without waiting; regular files alone
import os


def build(folder, hints):
    inner = os.path.join(folder, "handed")
    os.makedirs(inner, exist_ok=True)
    path = os.path.join(inner, ("hw.py", "hw.zip", "hw.ipynb", "loop.py", "empty.py", "hw.tar.gz")[hints["variant"]])
    if os.path.lexists(path):
        return path
    if hints["variant"] == 3:
        os.symlink(path, path)
    elif hints["variant"] == 4:
        os.mkdir(path)
    else:
        os.mkfifo(path)
    return path
