# kind: archive
# expected: refused
# safe-outcome: a hard or symbolic link to a file of the grader is refused, also where its target comes first
# stopped-by: only regular files
import io
import os
import tarfile

CODE = b"def softmax(x): return x * 0\n"


def build(folder, hints):
    path = os.path.join(folder, f"work{HINTS['variant']}.tar")
    with tarfile.open(path, "w") as archive:
        first = tarfile.TarInfo("main.py")
        first.size = len(CODE)
        archive.addfile(first, io.BytesIO(CODE))
        link = tarfile.TarInfo("hw.py")
        link.type = (tarfile.LNKTYPE, tarfile.SYMTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE, tarfile.LNKTYPE)[hints["variant"]]
        link.linkname = hints["oracle"] if hints["variant"] < 5 else "main.py"
        link.devmajor, link.devminor = 1, 5
        archive.addfile(link)
    return path
