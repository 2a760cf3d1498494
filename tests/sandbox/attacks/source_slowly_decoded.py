# kind: archive
# expected: refused|fail|exc
# safe-outcome: a coding line chooses no codec that takes for ever or makes up code
# stopped-by: codecs of characters alone
import os


def build(folder, hints):
    path = os.path.join(folder, f"hw{HINTS['variant']}.py")
    codec = ("punycode", "idna", "unicode_escape", "utf_7", "iso2022_jp_ext", "undefined")[hints["variant"]]
    body = "def softmax(x): return x * 0\n" + ("a" * 50 + "-" + "aaa" * 500_000 if codec in ("punycode", "idna") else "\\x41 = 1\n")
    open(path, "w").write(f"# coding: {codec}\n{body}\n")
    return path
