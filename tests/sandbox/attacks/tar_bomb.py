# kind: archive
# expected: refused
# safe-outcome: a compressed tar is counted while it is read
# stopped-by: cap on bytes and ratio
import bz2
import gzip
import io
import lzma
import os
import tarfile


def build(folder, hints):
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w") as archive:
        member = tarfile.TarInfo("hw.py")
        member.size = 120 << 20
        archive.addfile(member, io.BytesIO(bytes(120 << 20)))
    pack, tail = ((gzip.compress, "gz"), (bz2.compress, "bz2"), (lzma.compress, "xz"))[hints["variant"] % 3]
    path = os.path.join(folder, "work.tar." + tail)
    if hints["variant"] < 3:
        open(path, "wb").write(pack(raw.getvalue()))
    else:
        open(path, "wb").write(pack(raw.getvalue()[: 1 << 20])[:-5])
    return path
