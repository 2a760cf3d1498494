from __future__ import annotations

import pytest
from grader.sandbox.parent import Sandbox
from grader.sandbox.plain import Limits

from questions import QUICK, call, source


@pytest.mark.parametrize(
    "code",
    [
        "import matplotlib.pyplot as plt\nfig, ax = plt.subplots()\nax.plot([1], [2])\nplt.show()",
        "import matplotlib.pyplot as plt\nfig, (a, b) = plt.subplots(1, 2)\na.set_title('x')",
        "from matplotlib import pyplot as plt, cm\nplt.figure(figsize=(3, 4)).savefig('x.png')",
        "import seaborn as sns\nsns.set_theme(style='dark')",
        "from google.colab import drive\ndrive.mount('/content/drive')",
        "from IPython.display import display, HTML\ndisplay(HTML('x'))",
        "import pandas as pd\nframe = pd.DataFrame({'a': [1]})\nprint(frame.head())\nprint(f'{frame:>10}')",
        "from tqdm import tqdm\nbar = tqdm(range(3), desc='x')\nfor i in bar: bar.set_postfix(loss=i)\nassert i == 2",
        "from tqdm.auto import trange\nassert list(trange(4)) == [0, 1, 2, 3] and len(trange(4)) == 4",
        "import wandb\nwith wandb.init(project='x') as run: run.log({'a': 1})\nif wandb.run: 1/0",
        "import numba\n@numba.njit(parallel=True)\ndef g(x): return x\nassert g(1) == 1",
        "from matplotlib.pyplot import *",
        "import cupy as cp\nimport numpy as np\nassert not isinstance(1, (np.ndarray, cp.ndarray))",
        "import pydantic\nclass Sizes(pydantic.BaseModel, frozen=True):\n    width: int = 3\nassert Sizes.width == 3",
        "import pydantic\nclass Sizes(pydantic.BaseModel):\n    width: int = 3\nassert Sizes(width=5).width == 5",
        "import lightning as L\nclass Net(L.LightningModule, L.Other): pass\nclass Deep(Net, dict): pass",
        "import lightning as L\nclass Net(L.LightningModule):\n    x: L.Trainer | None = None\nNet()",
        "import plotly.graph_objects as go\nfor trace in go.Figure().data: 1/0",
        "try:\n    import lightning as L\nexcept ImportError:\n    import lightning as L\nL.seed_everything(1)",
        "import matplotlib\nmatplotlib.use('Agg')\nmatplotlib.rcParams['figure.dpi'] = 100",
    ],
    ids=lambda code: code.split("\n")[0],
)
def test_a_submission_that_only_plots_or_shows_progress_loads(sandbox, code):
    answers = sandbox.ask(source(code + "\ndef f(): return 1\n"), (call("f"),), QUICK)
    assert (answers.loaded.status, answers.loaded.failure) == ("value", None)
    assert answers.replies[0].values == (1,)
    assert any("not among the packages" in note for note in answers.loaded.notes)


def test_a_star_import_gives_the_names_that_the_code_uses(sandbox):
    code = "from numpy import *\nfrom pylab import *\nfigure()\ndef f(): return float(exp(0)) if 1 else hist()\n"
    answers = sandbox.ask(source(code), (call("f"),), QUICK)
    assert answers.replies[0].values == (1.0,)
    assert answers.loaded.notes == ("pylab is not among the packages of this homework; a stand-in was used",)


def test_a_name_of_a_star_import_whose_result_is_needed_says_which_package(ask):
    reply = ask("from pylab import *\ndef f(): return exp(0) + 1\n")
    assert reply.failure.message == "needs pylab, which is not among the packages of this homework"


def test_an_installed_package_that_looks_for_an_absent_one_gets_no_stand_in(sandbox):
    code = "import numpy.f2py\ndef f(): return 1\n"  # it tries charset_normalizer
    assert sandbox.ask(source(code), (call("f"),), QUICK).loaded.notes == ()


def test_a_file_knows_its_own_name(ask):
    assert ask("import os\nhere = os.path.dirname(os.path.abspath(__file__))\ndef f(): return here").status == "value"


@pytest.mark.parametrize(
    "body",
    [
        "scipy.special.softmax(x) + 1",
        "np.exp(scipy.special.softmax(x))",
        "np.asarray(scipy.special.softmax(x))",
        "x * scipy.pi",
        "x @ scipy.special.softmax(x)",
        "float(scipy.special.softmax(x))",
        "scipy.special.softmax(x) < 3",
        "len(scipy.special.softmax(x))",
        "[row for row in scipy.special.softmax(x)]",
        "sum(scipy.special.softmax(x))",
    ],
)
def test_a_result_that_needs_an_absent_package_says_which(ask, body):
    code = f"import numpy as np, scipy, scipy.special\ndef f(x): return {body}\n"
    reply = ask(code, "f", __import__("numpy").arange(3.0))
    assert reply.status == "error"
    assert reply.failure.message == "needs scipy, which is not among the packages of this homework"


def test_a_stand_in_that_is_returned_is_named(ask):
    reply = ask("import scipy\ndef f(): return scipy.special.softmax([1])\n")
    assert reply.status == "error"
    assert "needs scipy, which is not among the packages of this homework" in reply.failure.message


@pytest.mark.parametrize("catch", ["ImportError", "ModuleNotFoundError", "Exception", ""])
def test_an_import_inside_try_fails_so_that_the_submission_takes_its_own_way(ask, catch):
    code = f"try:\n    import google.colab\n    HERE = True\nexcept {catch}:\n    HERE = False\ndef f(): return HERE\n"
    assert ask(code).values == (False,)


@pytest.mark.parametrize("name", ["reference", "grader", "grader.sandbox.wire", "_private", "tkinter.nothing"])
def test_what_is_kept_away_is_simply_not_there(ask, name):
    assert ask(f"import {name}\n").failure.type in ("ModuleNotFoundError", "ImportError")


@pytest.mark.parametrize("name", ["pytest", "hypothesis", "nose"])
def test_a_package_of_tests_is_stood_in_for(ask, name):
    code = f"""
import {name}
@{name}.mark.parametrize("x", [1, 2])
def test_f(x): assert f() == {name}.approx(x)
def f(): return 7
{name}.main()
"""
    assert ask(code).values == (7,)


def test_only_listed_packages_of_the_environment_are_there(ask):
    code = "import click\ndef f(): return click.__name__, hasattr(click, '__file__') and bool(click.__file__)\n"
    assert ask(code).values == (("click", False),)


def test_what_a_notebook_kernel_provides_is_there_in_a_plain_file(ask):
    code = """
from math import pi
get_ipython().run_line_magic("matplotlib", "inline")
shown = display(pi, metadata={})
def f():
    return shown, display(1), "inline" in str(get_ipython())
"""
    assert ask(code).values == ((None, None, False),)


def test_a_display_of_the_students_own_is_the_one_that_counts(ask):
    assert ask("def display(x): return x + 1\ndef f(): return display(1)").values == (2,)


def test_asyncio_runs_and_reaches_nothing(ask):
    code = """
import asyncio
async def work():
    await asyncio.sleep(0)
    return await asyncio.to_thread(lambda: 40) + 1
first = asyncio.run(work())
async def out():
    await asyncio.open_connection("127.0.0.1", 9)
def f():
    try:
        asyncio.run(out())
    except PermissionError:
        return first + asyncio.run(work())
"""
    assert ask(code).values == (82,)


@pytest.mark.slow
@pytest.mark.torch
def test_einops_is_there_for_torch_homework_where_it_is_installed(tmp_path, monkeypatch):
    pytest.importorskip("torch")
    (tmp_path / "einops.py").write_text("def rearrange(x, pattern): return x.T if pattern == 'a b -> b a' else x\n")
    monkeypatch.syspath_prepend(tmp_path)
    work = source(
        "from einops import rearrange\nimport torch\n\ndef f(): return rearrange(torch.ones(2, 3), 'a b -> b a')"
    )
    with Sandbox("standard", torch=True) as sandbox:
        answers = sandbox.ask(work, (call("f"),), Limits())
    assert answers.loaded.notes == ()
    assert answers.replies[0].values[0].array.shape == (3, 2)
