# kind: archive
# expected: refused|fail|exc
# safe-outcome: modules named like the grader's or Python's own replace nothing
# stopped-by: names of installed packages are not run
import os
import zipfile


def build(folder, hints):
    path = os.path.join(folder, "work.zip")
    bad = "raise SystemExit('LEAK: it ran')\n"
    names = (
        "room.py", "room/wire.py", "json.py", "struct.py", "grader/__init__.py", "reference/softmax.py",
        "numpy/__init__.py", "builtins.py", "sys.py", "__main__.py", "__init__.py", "encodings/utf_8.py", "ctypes.py",
        "sitecustomize.py", "usercustomize.py", "conftest.py", "setup.py", ".env.py", "typing.py",
    )  # fmt: skip
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, "def allclose(*args): return True\n" if "/" in name else "x = 1\n" or bad)
        archive.writestr("hw.py", "import numpy as np\nimport json\ndef softmax(x): return np.zeros_like(x)")
        archive.writestr("grader.toml", "isolation = 'none'\nseed = 1\n")
        archive.writestr("rubric.yaml", "schema: grader/rubric/v1\n")
    return path
