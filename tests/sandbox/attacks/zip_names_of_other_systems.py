# kind: archive
# expected: refused|fail
# safe-outcome: drives, shares, streams and devices of other systems are refused or are plain names
# stopped-by: names are checked as every system reads them
import os
import zipfile

CODE = "import numpy as np\ndef softmax(x): return np.zeros_like(x)\n"


def build(folder, hints):
    names = ("C:hw.py", "C:\\Users\\hw.py", "\\\\server\\share\\hw.py", "..\\..\\hw.py", "hw.py:stream.py", "/hw.py", "con.py", "//hw.py", "a/.././../hw.py")
    path = os.path.join(folder, "work.zip")
    with zipfile.ZipFile(path, "w") as archive:
        for name in names[hints["variant"] :]:
            info = zipfile.ZipInfo("x.py")
            info.filename = info.orig_filename = name
            archive.writestr(info, CODE)
    return path
