# kind: archive
# expected: refused|fail|exc
# safe-outcome: names of members with controls, commands, markup or bidi marks never reach a report as they are
# stopped-by: names are cleaned or refused
import os
import zipfile

NAMES = (
    "a\n::error::forged.py", "\x1b[31mred.py", "\u202egnp.py", "<img src=x onerror=alert(1)>.py", "=cmd|x.csv",
    "]]>.py", "`|`.md", "-rf.py", "con.py", "a" * 300 + ".py", "..\\..\\x.py", "C:x.py", "~/x.py", "$(id).py", "x\u2028.py",
)  # fmt: skip


def build(folder, hints):
    path = os.path.join(folder, "work.zip")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("hw.py", "import numpy as np\ndef softmax(x): raise ValueError(x)")
        name = NAMES[hints["variant"] * 2 : hints["variant"] * 2 + 4]
        for each in name:
            archive.writestr(each, "import numpy as np\ndef softmax(x): return np.zeros_like(x)")
    return path
