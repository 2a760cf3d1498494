# expected: fail|exc|crash|timeout
# safe-outcome: the line at which a file says it stops may be any: what stands is judged
# stopped-by: the same values, compared
import ast

import numpy as np


def softmax(x):
    return np.zeros_like(x)


def stop(line):
    tree = ast.parse("raise ValueError('here')")
    for node in ast.walk(tree):
        if hasattr(node, "lineno"):
            node.lineno = node.end_lineno = line
    exec(compile(tree, "hw.py", "exec"), {})


def down(n, line):
    stop(line) if n == 0 else exec(compile("down(n - 1, line)", "hw.py", "exec"), {"down": down, "n": n, "line": line})


down(60 if HINTS["variant"] % 2 else 0, [1, 2**31 - 1, 10**6, 0, 20, 5][HINTS["variant"]])
softmax = None
