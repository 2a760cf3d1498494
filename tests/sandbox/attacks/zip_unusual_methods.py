# kind: archive
# expected: refused
# safe-outcome: a bomb packed by another method than deflate is refused
# stopped-by: two methods alone are read
import os
import zipfile


def build(folder, hints):
    method = (zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2, zipfile.ZIP_DEFLATED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA, zipfile.ZIP_DEFLATED)[hints["variant"]]
    path = os.path.join(folder, f"work{HINTS['variant']}.zip")
    with zipfile.ZipFile(path, "w", method) as archive:
        with archive.open("hw.py", "w") as file:
            for _ in range(60):
                file.write(b"#" * (1 << 20))
    data = bytearray(open(path, "rb").read())
    if hints["variant"] in (3, 5):  # deflate64, AES
        number = 9 if hints["variant"] == 3 else 99
        for mark, offset in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
            at = data.index(mark) + offset
            data[at] = number
    open(path, "wb").write(data)
    return path
