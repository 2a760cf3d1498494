# kind: archive
# expected: refused
# safe-outcome: a size below zero in a tar does not lead the reader back to where it was
# stopped-by: digits only; every step goes forward
import os


def build(folder, hints):
    head = bytearray(512)
    kind = (b"0", b"L", b"x", b"g", b"K", b"5")[hints["variant"]]
    head[:5], head[124:136], head[156:157], head[257:265] = b"hw.py", b"-0000001000\0", kind, b"ustar\x0000"
    head[148:156] = b" " * 8
    head[148:156] = b"%06o\0 " % sum(head)
    path = os.path.join(folder, "work.tar")
    open(path, "wb").write(bytes(head) + bytes(1024))
    return path
