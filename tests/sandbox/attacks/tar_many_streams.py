# kind: archive
# expected: refused
# safe-outcome: a hundred thousand empty streams in one gzip do not keep the reader busy
# stopped-by: cap on streams
import gzip
import os


def build(folder, hints):
    path = os.path.join(folder, "work.tar.gz")
    open(path, "wb").write(gzip.compress(b"") * 400_000)
    return path
