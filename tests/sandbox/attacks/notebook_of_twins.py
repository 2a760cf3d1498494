# kind: archive
# expected: refused|fail|exc
# safe-outcome: a key that stands twice means one thing to all who read it
# stopped-by: one reader
import json
import os

RIGHT = json.dumps("import numpy as np\ndef softmax(x):\n    e = np.exp(x)\n    return e / e.sum(-1, keepdims=True)")
WRONG = json.dumps("import numpy as np\ndef softmax(x): return np.zeros_like(x)")


def build(folder, hints):
    path = os.path.join(folder, "work.ipynb")
    cell = f'{{"cell_type": "markdown", "cell_type": "code", "source": {RIGHT}, "source": {WRONG}, "metadata": {{}}}}'
    other = f'{{"cell_type": "code", "source": {RIGHT}, "input": {RIGHT}}}'
    with open(path, "w") as file:
        file.write(f'{{"cells": [{other}], "cells": [{cell}], "nbformat": 4, "worksheets": [{{"cells": [{other}]}}]}}')
    return path
