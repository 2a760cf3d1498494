# kind: archive
# expected: refused|fail
# safe-outcome: archives inside archives are read to a small depth only
# stopped-by: cap on depth
import io
import os
import zipfile


def build(folder, hints):
    data = b"import numpy as np\ndef softmax(x): return np.zeros_like(x)"
    name = "hw.py"
    for _ in range(40):
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for copy in range(2):
                archive.writestr(f"{copy}-{name}", data)
        data, name = buffer.getvalue(), "in.zip"
        if len(data) > 4 << 20:
            break
    path = os.path.join(folder, "work.zip")
    open(path, "wb").write(data)
    return path
