# kind: archive
# expected: fail|refused
# safe-outcome: outputs, attachments and metadata of any size are left aside
# stopped-by: only code cells are read; cap on bytes
import json
import os


def build(folder, hints):
    path = os.path.join(folder, "work.ipynb")
    code = "import numpy as np\ndef softmax(x): return np.zeros_like(x)"
    picture = {"output_type": "display_data", "data": {"image/png": "A" * (6 << 20)}, "metadata": {}}
    forged = {"output_type": "stream", "name": "stdout", "text": ["::error::forged\n", "\x1b[31m"]}
    cell = {"cell_type": "code", "source": code, "outputs": [picture, forged], "metadata": {"x": "y" * 100_000}}
    book = {"cells": [cell], "metadata": {"kernelspec": {"language": "python"}}, "nbformat": 4, "nbformat_minor": 5}
    open(path, "w").write(json.dumps(book))
    return path
