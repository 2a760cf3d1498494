# kind: archive
# expected: refused
# safe-outcome: a notebook nested without end is refused in a sentence
# stopped-by: errors of the reader are refusals
import os


def build(folder, hints):
    path = os.path.join(folder, "work.ipynb")
    deep = ("[" * 200_000 + "]" * 200_000, '{"a":' * 100_000 + "1" + "}" * 100_000)[hints["variant"] % 2]
    open(path, "w").write('{"cells":[],"metadata":' + deep + ',"nbformat":4}')
    return path
