# kind: archive
# expected: refused|fail|exc
# safe-outcome: a file that is two things at once is read as one of them
# stopped-by: the kind is decided once
import io
import os
import zipfile


def build(folder, hints):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("__main__.py", "import numpy as np\ndef softmax(x): return np.ones_like(x)")
    code = b"import numpy as np\ndef softmax(x): return np.zeros_like(x)\n#"
    name = ("hw.py", "work.zip", "work.ipynb", "hw.py.zip", "work.tar.gz", "work.pdf")[hints["variant"]]
    path = os.path.join(folder, name)
    open(path, "wb").write(code + buffer.getvalue())
    return path
