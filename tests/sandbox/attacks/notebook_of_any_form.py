# kind: archive
# expected: refused|fail|exc
# safe-outcome: a notebook whose fields are of the wrong kind is read as far as it goes, or refused in a sentence
# stopped-by: every field is looked at before it is used
import json
import os


def build(folder, hints):
    path = os.path.join(folder, f"work{HINTS['variant']}.ipynb")
    good = {"cell_type": "code", "source": "def softmax(x): return x * 0\n", "metadata": {}}
    books = (
        {"worksheets": [{"cells": 5}, {"cells": None}, 7, {"cells": [good]}]},
        {"cells": [good, {"cell_type": {"a": []}, "source": {"x": 1}, "metadata": []}, {"cell_type": "code", "source": [[["x"]], None, 7, "x = 1"]}]},
        {"cells": [{**good, "metadata": {"tags": {"a": 1}}, "outputs": 7, "execution_count": "x" * 10**6}], "metadata": {"kernelspec": [], "language_info": {"name": ["R"]}}},
        {"cells": [good], "metadata": {"language_info": {"name": "\x1b[2J</script>" * 1000}}},
        {"cells": [{**good, "source": "\ud800" * 1000 + "\n# \u202e\u2028::error::\n", "cell_type": "code"}] * 50},
        {"cells": [good] * 4000, "nbformat": -1, "nbformat_minor": 1e308, "metadata": None},
    )
    open(path, "w").write(json.dumps(books[hints["variant"]]))
    return path
