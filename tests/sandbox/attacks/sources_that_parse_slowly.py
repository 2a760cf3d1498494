# kind: archive
# expected: refused|fail|exc|timeout|crash
# safe-outcome: a source as long and as nested as is read at all is parsed, looked into and reported in no long time
# stopped-by: caps on words and depth
import os


def build(folder, hints):
    path = os.path.join(folder, f"hw{HINTS['variant']}.py")
    body = (
        "def softmax(x):\n    return x * 0\n" + "softmax = softmax\n" * 20_000,
        "import numpy as np\n" + "".join(f"a{n} = a{n - 1}\n" for n in range(1, 12_000)) + "def softmax(x): return x * 0\n",
        "def softmax(x):\n    return x * 0" + ".a" * 20 + "\n" + "".join(f"def f{n}(x): return f{n + 1}(x)\n" for n in range(5000)),
        "def softmax(x):\n" + "".join("    " * n + "if x is not None:\n" for n in range(1, 90)) + "    " * 90 + "return x * 0\n",
        "def softmax(x):\n    return (" + "x +" * 900 + " x) * 0\n" + "x = [" + "lambda: " * 80 + "0]\n",
        "def softmax(x): return x * 0\n" + "try:\n    import a\nexcept ImportError: pass\n" * 5000,
    )[hints["variant"]]
    open(path, "w").write(body)
    return path
