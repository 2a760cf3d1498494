# kind: archive
# expected: refused
# safe-outcome: many files, each within its cap, are refused by their sum
# stopped-by: bytes are counted over all
import os
import zipfile


def build(folder, hints):
    path = os.path.join(folder, "work.zip")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for number in range(400):
            archive.writestr(f"data/{number}.md", b"0" * (1 << 20))
        archive.writestr("hw.py", "def softmax(x): return x * 0\n")
    return path
