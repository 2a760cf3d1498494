# kind: archive
# expected: refused|fail
# safe-outcome: sizes, offsets and counts that lie are found out while reading
# stopped-by: bytes are counted; errors of the reader are refusals
import os
import struct
import zipfile


def build(folder, hints):
    path = os.path.join(folder, "work.zip")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("hw.py", "import numpy as np\ndef softmax(x): return np.zeros_like(x)" + "#" * 5000)
    data = bytearray(open(path, "rb").read())
    at = data.index(b"PK\x01\x02")
    data[at + 24 : at + 28] = struct.pack("<I", 0xFFFFFFFF)  # uncompressed size: "look in the zip64 field"
    end = data.index(b"PK\x05\x06")
    data[end + 8 : end + 12] = struct.pack("<HH", 0xFFFF, 0xFFFF)
    open(path, "wb").write(data)
    return path
