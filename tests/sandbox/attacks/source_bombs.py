# kind: archive
# expected: refused|fail|exc
# safe-outcome: sources that break a parser are refused or fail; the grader's own reading of them ends too
# stopped-by: parsing is guarded and capped
import os

CODE = "import numpy as np\ndef softmax(x): return np.zeros_like(x)\n"
SOURCES = (
    CODE + "y = " + "(" * 5000 + ")" * 5000,
    CODE + "y = " + "-" * 200_000 + "1",
    CODE + "y = " + "+".join(["1"] * 100_000),
    CODE + "y = x" + ".a" * 50_000 + "\n",
    CODE + "if 1:\n" + "".join(" " * n + "if 1:\n" for n in range(1, 99)) + " " * 100 + "pass\n",
    CODE + "y = '''" + "f'{" * 3000 + "'''\n" + "z = 1" + "0" * 5000 + "\n" + "\x0c\x0c@" * 2,
)


def build(folder, hints):
    path = os.path.join(folder, "hw.py")
    open(path, "w").write(SOURCES[hints["variant"]])
    return path
