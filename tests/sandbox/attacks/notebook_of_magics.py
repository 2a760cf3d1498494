# kind: archive
# expected: refused|fail|exc
# safe-outcome: no magic of any kind runs; what it would have run is not there
# stopped-by: magics become statements that do nothing
import json
import os

BODY = "import os\nprint('LEAK: it ran')\nos.system('id')\ndef softmax(x): return x\n"
MAGICS = """%%writefile hw.py|%%script python|%%bash|%%sh|%%!|%%sx|%%system|%%cython|%%javascript|%%html|%%file a.py|%%ruby
%%perl|%%sql|%%R|%%latex|%%svg|%%markdown""".replace("\n", "|").split("|")
LINES = r"""%run -i hw.py|%load hw.py|%pastebin 1|%store -r|%env TOKEN=1|%cd /|%pip install x|!cat /etc/passwd|!!ls|x = !ls
x, y = %sx ls|?softmax|softmax??|;os.system ls|,os.system ls|/os.system 'ls'|%pdb on|%alias_magic a b
get_ipython().system('ls')|get_ipython().run_cell_magic('bash', '', 'ls')|get_ipython().ex('softmax = None')
%time softmax = None|%timeit -n1 -r1 1|for f in !ls: pass|await x|return softmax|yield softmax""".replace(
    "\n", "|"
).split("|")
LONG = [
    "%" * 3000,
    "!" * 3000,
    "\\\n%run x",
    "if True:\n    !ls\n    %run x",
    "f(\n%run x\n)",
    '"""\n%run x\n"""',
    "%%time\n%%bash\nls",
]
LAST = "import numpy as np\ndef softmax(x): return np.zeros_like(x)"


def build(folder, hints):
    path = os.path.join(folder, "work.ipynb")
    sources = [*(f"{magic}\n{BODY}" for magic in MAGICS), *LINES, *LONG, LAST]
    cells = [{"cell_type": "code", "source": text, "metadata": {}, "outputs": []} for text in sources]
    with open(path, "w") as file:
        json.dump({"cells": cells, "nbformat": 4, "nbformat_minor": 5, "metadata": {}}, file)
    return path
