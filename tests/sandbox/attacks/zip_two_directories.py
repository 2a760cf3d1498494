# kind: archive
# expected: refused|fail|exc
# safe-outcome: an archive with two directories, or with one in its comment, is read as one of them
# stopped-by: read by value; what is refused is said
import io
import os
import zipfile

CODE = "import numpy as np\ndef softmax(x): return np.zeros_like(x)\n"


def packed(name, code, comment=b""):
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        archive.writestr(name, code)
        archive.comment = comment
    return whole.getvalue()


def build(folder, hints):
    one, other = packed("hw.py", CODE), packed("../../escaped.py", "x = 1\n")
    path = os.path.join(folder, f"work{HINTS['variant']}.zip")
    data = (one + other, other + one, packed("hw.py", CODE, other), b"#!/usr/bin/python\n" + one, one + b"\0" * 70000, one[:-10])[hints["variant"]]
    open(path, "wb").write(data)
    return path
