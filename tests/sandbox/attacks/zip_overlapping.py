# kind: archive
# expected: refused|fail
# safe-outcome: members that share their bytes are counted each
# stopped-by: total of what is read
import os
import struct
import zipfile


def build(folder, hints):
    path = os.path.join(folder, "work.zip")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("hw.py", "import numpy as np\ndef softmax(x): return np.zeros_like(x)\n" + "#" * (1 << 20))
    data = open(path, "rb").read()
    at, end = data.index(b"PK\x01\x02"), data.index(b"PK\x05\x06")
    local, entry = data[:at], data[at:end]
    entries = b"".join(entry[:46] + b"h%04d"[:0] + (b"%05d" % n) + entry[51:] for n in range(5000))
    tail = struct.pack("<4sHHHHIIH", b"PK\x05\x06", 0, 0, 5000, 5000, len(entries), at, 0)
    open(path, "wb").write(local + entries + tail)
    return path
