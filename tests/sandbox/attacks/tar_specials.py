# kind: archive
# expected: refused
# safe-outcome: links, devices, pipes and sparse members of a tar are refused
# stopped-by: only regular files
import io
import os
import tarfile


def build(folder, hints):
    path = os.path.join(folder, "work.tar")
    kinds = (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE, tarfile.CONTTYPE)
    with tarfile.open(path, "w") as archive:
        code = b"import numpy as np\ndef softmax(x): return np.zeros_like(x)"
        member = tarfile.TarInfo("hw.py")
        member.size = len(code)
        archive.addfile(member, io.BytesIO(code))
        special = tarfile.TarInfo("special.py")
        special.type = kinds[hints["variant"]] if hints["variant"] < 5 else tarfile.LNKTYPE
        special.linkname = hints["rubric"]
        special.devmajor, special.devminor = 1, 3
        archive.addfile(special)
    return path
