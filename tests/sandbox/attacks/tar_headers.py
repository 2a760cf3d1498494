# kind: archive
# expected: refused|fail
# safe-outcome: long names, huge headers and sizes that lie in a tar are refused or cut
# stopped-by: cap on headers
import io
import os
import tarfile


def build(folder, hints):
    path = os.path.join(folder, "work.tar")
    kind = hints["variant"]
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as archive:
        member = tarfile.TarInfo("hw.py")
        code = b"import numpy as np\ndef softmax(x): return np.zeros_like(x)"
        member.size = len(code)
        if kind == 0:
            member.pax_headers = {"comment": "x" * (8 << 20)}
        if kind == 1:
            member.name = "a/" * 5000 + "hw.py"
        if kind == 2:
            member.pax_headers = {"path": "../../hw.py"}
        if kind == 3:
            member.pax_headers = {"size": "99999999999999"}
        if kind == 4:
            member.pax_headers = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": "1" * 15}
        archive.addfile(member, io.BytesIO(code))
    return path
