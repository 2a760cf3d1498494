# kind: archive
# expected: refused|fail
# safe-outcome: long names, records and global headers one after the other end, and sizes at their edge are read
# stopped-by: a header holds a little; the whole is capped
import io
import os
import tarfile


def block(kind, name, size):
    info = tarfile.TarInfo(name)
    info.size, info.type = size, kind
    return info.tobuf(tarfile.USTAR_FORMAT)


def build(folder, hints):
    variant = hints["variant"]
    path = os.path.join(folder, f"work{variant}.tar")
    code = b"def softmax(x): return x * 0\n"
    last = block(b"0", "hw.py", len(code)) + code.ljust(512, b"\0") + bytes(1024)
    if variant == 0:
        data = (block(b"L", "long", 512) + b"a" * 512) * 40_000 + last
    elif variant == 1:
        data = (block(b"g", "all", 512) + b"20 comment=aaaaaaaa\n".ljust(512, b"\0")) * 40_000 + last
    elif variant == 2:
        data = b"".join(block(b"0", f"{number}.md", 0) for number in range(30_000)) + last
    elif variant == 3:
        data = block(b"x", "record", 24) + b"24 path=\xff\xfe\x1b[2Jhw.py..\n".ljust(512, b"\0") + last
    elif variant == 4:
        data = block(b"x", "record", 13) + b"9999999999999 path=x".ljust(512, b"\0") + last
    else:
        data = last.replace(b"0000644", b"-000644", 1)
    open(path, "wb").write(data)
    return path
