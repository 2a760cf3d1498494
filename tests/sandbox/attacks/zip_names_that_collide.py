# kind: archive
# expected: refused|fail|exc
# safe-outcome: names that differ by case, width, accents or a blank alone take nothing from each other and confuse no report
# stopped-by: names are looked at one by one; nothing is written
import os
import zipfile

CODE = "import numpy as np\ndef softmax(x): return np.zeros_like(x)\n"


def build(folder, hints):
    names = (
        ("hw.py", "HW.py", "Hw.PY", "hw.Py"),
        ("hw.py", "\uff48\uff57.py", "h\u200bw.py", "hw\u00a0.py"),
        ("caf\u00e9.py", "cafe\u0301.py", "hw.py", "h\u0445.py"),
        ("hw.py", "hw.py ", "hw.py.", "hw .py", " hw.py"),
        ("hw.py/hw.py", "hw.py", "hw/__init__.py", "hw.PYW"),
        ("hw.py", "./hw.py", "a/../hw.py"),
    )[hints["variant"]]
    path = os.path.join(folder, f"work{HINTS['variant']}.zip")
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, CODE)
    return path
