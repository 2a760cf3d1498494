# kind: archive
# expected: refused
# safe-outcome: a compressed tar inside a compressed tar, and one with a tail, are counted as they inflate
# stopped-by: one cap on the whole
import gzip
import os
import tarfile


def build(folder, hints):
    variant = hints["variant"]
    path = os.path.join(folder, f"work{variant}.tar.gz")
    with tarfile.open(path, "w:gz") as archive:
        info = tarfile.TarInfo("hw.py")
        info.size = 300 << 20 if variant == 0 else 20
        archive.addfile(info, open("/dev/zero", "rb"))
    data = open(path, "rb").read()
    if variant == 1:
        data = gzip.compress(data)
    elif variant == 2:
        data += gzip.compress(bytes(40 << 20)) * 5
    elif variant == 3:
        data = data[:-4] + b"\0" * 4
    elif variant == 4:
        data = data[: len(data) // 2]
    elif variant == 5:
        data = b"BZh9" + data
    open(path, "wb").write(data)
    return path
