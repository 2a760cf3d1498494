# kind: archive
# expected: refused|fail|exc
# safe-outcome: names of files are cleaned wherever they are shown
# stopped-by: names are student text
import os
import zipfile

NAMES = (
    "=HYPERLINK(1)/hw2.py", "+1/a.py", "-1/b.py", "@x/c.py", "\tx/d.py", "\x1b[31mred/e.py", "<script>/f.py", "::error::g.py",
    "##vso[task]h.py", "a|b|c/i.py", "`x`/j.py", "\u202egnp.yp/k.py", "..%2f..%2fl.py", "con.py", "nul/m.py", "a" * 180 + "/n.py",
    "\u00e9/o.py", "e\u0301/o.py", "q\r\nr.py", "[a](javascript:alert(1)).py", "${jndi:ldap}/s.py", "%s%n%x/t.py",
)  # fmt: skip


def build(folder, hints):
    path = os.path.join(folder, f"work{hints['variant']}.zip")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("hw.py", "import numpy as np\ndef softmax(x): return np.zeros_like(x)")
        for name in NAMES[hints["variant"] :: 6]:
            archive.writestr(name, "raise ValueError(__file__ + __name__)\n")
    return path
