# kind: archive
# expected: refused|fail
# safe-outcome: of two members with one name none is silently preferred
# stopped-by: names are compared before anything is read
import os
import warnings
import zipfile


def build(folder, hints):
    path = os.path.join(folder, "work.zip")
    warnings.simplefilter("ignore")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("hw.py", "import numpy as np\ndef softmax(x): return np.zeros_like(x)")
        archive.writestr("hw.py", "import numpy as np\ndef softmax(x): return np.ones_like(x)")
    return path
