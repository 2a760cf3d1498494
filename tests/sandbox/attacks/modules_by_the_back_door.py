# kind: archive
# expected: refused|fail|exc
# safe-outcome: a file that is named like a part that is sent later replaces nothing
# stopped-by: installed names are not run; what a block gives is judged
import os
import zipfile

WORK = "import numpy as np\nimport stand_in_parts\ndef softmax(x): return stand_in_parts.PARTS['softmax'](x)"
PART = "import numpy as np\nPARTS = {'softmax': np.zeros_like}\nsoftmax = np.zeros_like\n"


def build(folder, hints):
    path = os.path.join(folder, "work.zip")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("hw.py", WORK)
        for name in ("stand_in_parts", "stand_in_numpy", "stand_in_torch", "stand_in_for_softmax"):
            archive.writestr(f"{name}.py", PART)
        archive.writestr("room/child.py", "raise SystemExit\n")
        archive.writestr("numpy_.py", "raise SystemExit\n")
    return path
