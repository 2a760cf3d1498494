# kind: archive
# expected: fail|exc|refused
# safe-outcome: outputs, attachments and metadata that claim anything are not read
# stopped-by: cells alone are read, and text is cleaned
import json
import os

SHOWN = "<script>alert(1)</script>\x1b[2J\r::error::x\n=cmd|' /C calc'!A0\n[a](javascript:alert(1))"
OUTPUTS = [
    {"output_type": "execute_result", "data": {"text/plain": "20 / 20", "text/html": SHOWN}, "execution_count": 10**30},
    {"output_type": "error", "ename": SHOWN, "evalue": SHOWN, "traceback": [SHOWN] * 50},
    {"output_type": "stream", "name": "stderr", "text": SHOWN * 100},
]
NAMES = ["work", "\x1b]0;x\x07", "=1+1", "<img src=x onerror=alert(1)>", "a\nb", "\u202eipynb"]
WORK = "import numpy as np\ndef softmax(x): return np.zeros_like(x)"


def build(folder, hints):
    path = os.path.join(folder, NAMES[hints["variant"]] + ".ipynb")
    cells = [
        {"cell_type": "markdown", "source": SHOWN, "attachments": {"a.png": SHOWN}, "metadata": {"tags": [SHOWN, 1]}},
        {"cell_type": "code", "source": WORK, "outputs": OUTPUTS, "metadata": {"tags": {"a": 1}}},
        {
            "cell_type": "code",
            "source": f"raise ValueError({SHOWN!r})",
            "outputs": OUTPUTS,
            "id": SHOWN,
            "metadata": SHOWN,
        },
        {"cell_type": SHOWN, "source": [SHOWN, 1, None, {"a": 1}], "metadata": {}},
    ]
    metadata = {"kernelspec": {"name": SHOWN, "language": "python"}, "language_info": {"name": "python" + SHOWN}}
    with open(path, "w", encoding="utf-8", errors="surrogatepass") as file:
        json.dump({"cells": cells, "nbformat": 4, "nbformat_minor": 10**20, "metadata": metadata}, file)
    return path
