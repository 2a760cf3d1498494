# kind: archive
# expected: refused|fail|exc
# safe-outcome: of two files whose names look alike the one that is judged is the one that is shown
# stopped-by: names that collide are refused or told apart
import os
import zipfile

WRONG = "import numpy as np\ndef softmax(x): return np.zeros_like(x)\n"
PAIRS = ("HW.py", "./hw.py", "a/../hw.py", "hw.py ", "hw\u200b.py", "hw.py.")


def build(folder, hints):
    path = os.path.join(folder, f"work{hints['variant']}.zip")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("hw.py", WRONG)
        archive.writestr(PAIRS[hints["variant"]], WRONG + "# the other\n")
    return path
