# kind: archive
# expected: refused|fail|exc
# safe-outcome: odd encodings, byte-order marks, NUL bytes and declared codecs are read or refused, never a fault
# stopped-by: text is decoded with care
import os

CODE = "import numpy as np\ndef softmax(x): return np.zeros_like(x)\n"


def build(folder, hints):
    path = os.path.join(folder, "hw.py")
    data = (
        b"\xff\xfe" + CODE.encode("utf-16-le"),
        b"\xef\xbb\xbf# coding: latin-1\n" + CODE.encode(),
        CODE.encode() + b"\x00\x00\x1a",
        b"# coding: rot13\n" + CODE.encode(),
        b"# -*- coding: utf-7 -*-\n" + CODE.encode() + b"+AAo-raise SystemExit",
        b"# coding: \xff\x80\n" + CODE.encode() + "\u202e\u2066 x = 1\r\x0b\u2028y = 2".encode("utf-16"),
    )[hints["variant"]]
    open(path, "wb").write(data)
    return path
