# kind: archive
# expected: refused|fail
# safe-outcome: a stream that ends early, late or never, or whose sum is wrong, is refused
# stopped-by: errors of the reader are refusals
import os
import zipfile
import zlib


def build(folder, hints):
    path = os.path.join(folder, f"work{HINTS['variant']}.zip")
    code = b"import numpy as np\ndef softmax(x): return np.zeros_like(x)\n" + b"#" * 9000
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("hw.py", code)
    data = bytearray(open(path, "rb").read())
    variant = hints["variant"]
    at = data.index(b"PK\x01\x02")
    if variant == 0:
        data[16 + at] ^= 0xFF
    elif variant == 1:
        data[50:60] = bytes(10)
    elif variant == 2:
        data[at + 24 : at + 28] = (10).to_bytes(4, "little")
    elif variant == 3:
        data[at + 42 : at + 46] = (0xFFFFFF00).to_bytes(4, "little")
    elif variant == 4:
        data[at + 8] |= 0x41
    else:
        data[at + 20 : at + 24] = len(zlib.compress(code)).to_bytes(4, "little")
    open(path, "wb").write(data)
    return path
