# kind: archive
# expected: fail
# safe-outcome: a name that leaves the folder is left out and nothing is written
# stopped-by: names are checked; nothing is extracted to disk
import os
import zipfile


def build(folder, hints):
    path = os.path.join(folder, "work.zip")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("../" * 8 + hints["drop_dir"].lstrip("/") + "/climbed.py", "x = 1")
        archive.writestr("hw.py", "def softmax(x): return x")
    return path
