# kind: archive
# expected: refused|fail|exc
# safe-outcome: what is read is what runs, whatever the file says of its letters
# stopped-by: text is decoded once, and sent by value
import os

CODE = b"import numpy as np\ndef softmax(x): return np.zeros_like(x)\n"
HEADS = (
    b"# -*- coding: utf-7 -*-\n",
    b"# coding: rot13\n",
    b"\xef\xbb\xbf# coding: utf-16\n",
    b"# vim: set fileencoding=unicode_escape\n#\\x0a",
    b"\x0c# coding: cp037\n",
    b"# coding: raw_unicode_escape\n#\\u000a",
)


def build(folder, hints):
    path = os.path.join(folder, f"work{hints['variant']}.py")
    with open(path, "wb") as file:
        file.write(HEADS[hints["variant"]] + CODE + b"#\x0b\x0c\x1c\x85\r+AGQ-ef = 1\n" + "\u2028# \u2029\n".encode())
    return path
