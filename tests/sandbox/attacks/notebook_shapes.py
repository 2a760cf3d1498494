# kind: archive
# expected: refused|fail|exc
# safe-outcome: a notebook of the wrong shape is refused or read as far as it goes
# stopped-by: every field is checked
import json
import os

CODE = "import numpy as np\ndef softmax(x): return np.zeros_like(x)"
BOOKS = (
    [],
    {"cells": {"a": 1}, "nbformat": 4},
    {"cells": [1, None, "x", {"cell_type": ["code"], "source": {"a": 1}}, {"cell_type": "code", "source": [1, None]}]},
    {"worksheets": [{"cells": [{"cell_type": "code", "input": CODE}]}], "nbformat": 3},
    {"cells": [{"cell_type": "code", "source": CODE + "\n\x00\ud800"}], "nbformat": 10**30},
    {"cells": [{"cell_type": "code", "source": ["%%" + "bash\nrm\n", CODE]}, {"cell_type": "code", "source": CODE}] * 3000},
)


def build(folder, hints):
    path = os.path.join(folder, "work.ipynb")
    open(path, "w").write(json.dumps(BOOKS[hints["variant"]]))
    return path
