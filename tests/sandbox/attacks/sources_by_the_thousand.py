# kind: archive
# expected: refused|fail|exc|timeout
# safe-outcome: a thousand files that import each other, under every name, are named and read in no long time
# stopped-by: caps on count and words; names by their ends
import os
import zipfile


def build(folder, hints):
    path = os.path.join(folder, f"work{HINTS['variant']}.zip")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(950):
            if hints["variant"] % 3 == 0:
                archive.writestr(f"d{number}/x.py", "\n".join(f"import a{each}.x" for each in range(16)))
            elif hints["variant"] % 3 == 1:
                archive.writestr(f"d{number % 30}/e{number}/__init__.py", f"from . import x{number}\nfrom .. import *\nimport e{number + 1}\n")
            else:
                archive.writestr("/".join("d" * (number % 14 + 1)) + f"/{number}.py", "from ..d import x\nimport d.d.d\n")
        archive.writestr("hw.py", "import numpy as np\ndef softmax(x): return np.zeros_like(x)\n")
    return path
