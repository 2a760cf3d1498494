# kind: archive
# expected: refused
# safe-outcome: a directory of a million entries is refused before it is read
# stopped-by: entries are counted in the bytes
import os
import struct


def build(folder, hints):
    path = os.path.join(folder, "work.zip")
    one = struct.pack("<4s4B4HL2L5H2L", b"PK\x01\x02", 20, 0, 20, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0) + b"a"
    with open(path, "wb") as file:
        for _ in range(100):
            file.write(one * 10_000)
        size = len(one) * 10**6
        file.write(struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, 10**6, 10**6, size, 0))
        file.write(struct.pack("<4sLQL", b"PK\x06\x07", 0, size, 1))
        file.write(struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0))
    return path
