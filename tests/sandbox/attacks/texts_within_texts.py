# kind: archive
# expected: fail|exc
# standard: open
# safe-outcome: texts run within texts, long paths of names and filters over modules are read in no long time
# stopped-by: caps on depth, length and meanings
import os
import zipfile

BEGIN = "import functools\nimport numpy as np\n"
PATH = f"obj = np\nfor part in '{'.'.join(['linalg'] * 40)}'.split('.'):\n    obj = getattr(obj, part, np)\n"
END = '''
text = "exec(" * 90 + "1"


def softmax(x):
    exec("exec('exec(\\\\'y = 1\\\\')')")
    try:
        exec(text)
    except (SyntaxError, MemoryError, RecursionError):
        pass
    functools.reduce(lambda a, b: getattr(a, b, a), ["linalg"] * 500, np)
    return np.zeros_like(x)
'''


def build(folder, hints):
    texts = "".join(f"exec('v{n} = getattr(np, \"ex\" + \"p\")')\n" for n in range(400))
    filters = "".join(f"w{n} = [f for n, f in vars(np).items() if n == 'exp' or n == 'log'][0]\n" for n in range(300))
    path = os.path.join(folder, "work.zip")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("hw.py", BEGIN + texts + PATH + filters + END)
    return path
