# kind: archive
# expected: refused|fail|exc
# safe-outcome: JSON that is hard to read is refused, or read in time by its length
# stopped-by: caps on objects, items and digits
import json
import os

WORK = "import numpy as np\ndef softmax(x): return np.zeros_like(x)"
CELL = json.dumps({"cell_type": "code", "source": WORK, "metadata": {}})


def build(folder, hints):
    path = os.path.join(folder, f"work{hints['variant']}.ipynb")
    hard = [
        "1" * 3_000_000,
        "1e" + "9" * 100_000,
        "-" + "9" * 4299 + "." + "9" * 1_000_000,
        "[" * 90_000 + "]" * 90_000,
        '{"a":' * 50_000 + "1" + "}" * 50_000,
        '"' + "\\ud800" * 200_000 + '"',
    ]
    with open(path, "w") as file:
        file.write('{"nbformat": 4, "metadata": {"x": ' + hard[hints["variant"]] + '}, "cells": [' + CELL + "]}")
    return path
