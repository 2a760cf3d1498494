# kind: archive
# expected: refused|fail
# safe-outcome: a hundred thousand members are refused before they are read
# stopped-by: cap on count
import os
import zipfile


def build(folder, hints):
    path = os.path.join(folder, "work.zip")
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(30_000):
            archive.writestr(f"d/{number}.py", "")
        archive.writestr("hw.py", "def softmax(x): return x * 0")
    return path
