# kind: archive
# expected: refused|fail
# safe-outcome: a path that climbs or is absolute is found in every kind of header, and nothing is written there
# stopped-by: names are checked as they are read
import io
import os
import tarfile

CODE = b"def softmax(x): return x * 0\n"


def build(folder, hints):
    variant = hints["variant"]
    path = os.path.join(folder, f"work{variant}.tar.gz")
    name = ("../../x.py", "/etc/x.py", "a/" * 200 + "../x.py", "a/../../x.py", "x.py", "..")[variant]
    form = tarfile.GNU_FORMAT if variant % 2 else tarfile.PAX_FORMAT
    with tarfile.open(path, "w:gz", format=form) as archive:
        info = tarfile.TarInfo("hw.py" if form == tarfile.PAX_FORMAT else name)
        info.size = len(CODE)
        if form == tarfile.PAX_FORMAT:
            info.pax_headers = {"path": name if variant != 4 else "../x.py"}
        archive.addfile(info, io.BytesIO(CODE))
    return path
