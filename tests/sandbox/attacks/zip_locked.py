# kind: archive
# expected: refused
# safe-outcome: an archive with a password is refused in a sentence
# stopped-by: flag bits of each entry
import os
import zipfile


def build(folder, hints):
    path = os.path.join(folder, "work.zip")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("hw.py", "def softmax(x): return x * 0")
    data = bytearray(open(path, "rb").read())
    data[6] |= 1
    at = data.index(b"PK\x01\x02")
    data[at + 8] |= 1
    open(path, "wb").write(data)
    return path
