from __future__ import annotations

import ast
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.intake.magics import plain_python
from tests.growth import SQUARE, growth


@pytest.mark.parametrize(
    ("cell", "plain"),
    [
        ("%matplotlib inline\nx = 1", "pass\nx = 1"),
        ("!pip install torch\nimport numpy as np", "pass\nimport numpy as np"),
        ("!!ls\nx = 1", "pass\nx = 1"),
        ("x = !ls -l\ny = 2", "x = []\ny = 2"),
        ("x = %pwd", "x = None"),
        ("a, b = !ls", "a = b = []"),
        ("a[0] = !ls", "pass"),
        ("?softmax", "pass"),
        ("softmax?", "pass"),
        ("np.exp??", "pass"),
        ("%timeit softmax(x)", "pass"),
        ("%time y = softmax(x)", "y = softmax(x)"),
        ("if colab:\n    !pip install einops\n    %cd work\nx = 1", "if colab:\n    pass\n    pass\nx = 1"),
        ("!pip install \\\n  numpy \\\n  scipy\nx = 1", "pass\n\n\nx = 1"),
        ("%%time\nx = 1", "\nx = 1"),
        ("\n%%capture out\n%matplotlib inline\nx = 1", "\n\npass\nx = 1"),
        ("%%time\n%%capture\nx = 1", "\n\nx = 1"),
        ("%%bash\necho 'it is'\nls", "\n\n"),
        ("%%sx\nls = 1", "\n"),
        ("%%system\nls = 1", "\n"),
        ("%%!\nls = 1", "\n"),
        ("%%html\n<b>x</b>", "\n"),
        ("%%writefile masks.py\nx = 1", "\n"),
        ("%%add_to Model\ndef f(self):\n    return 1", "\ndef f(self):\n    return 1"),
        ("%%mermaid\ngraph TD; A-->B", "\n"),
        ("get_ipython().run_line_magic('matplotlib', 'inline')\nx = 1", "pass\nx = 1"),
        ("files = get_ipython().getoutput('ls')\nx = 1", "files = []\nx = 1"),
        ("await main()\nx = 1", "pass\nx = 1"),
        ("r = await main()\nx = 1", "pass\nx = 1"),
        ("async with a() as b:\n    pass\nx = 1", "pass\n\nx = 1"),
        ("return 5\nx = 1", "pass\nx = 1"),
        ("!echo \"it's\nx = 1", "pass\nx = 1"),
    ],
)
def test_notebook_lines_do_nothing_and_keep_the_line_numbers(cell: str, plain: str) -> None:
    found = plain_python(cell)
    assert found.code == plain
    assert found.code.count("\n") == cell.count("\n")
    assert found.silenced
    ast.parse(found.code)


@pytest.mark.parametrize(
    "cell",
    [
        "x = (10\n% 3)",
        "text = '''\n%%time\n!ls\nname?\n'''",
        "y = a \\\n    % b",
        "assert x != y",
        "async def f():\n    await g()\n    return 1",
        "s = '%d' % 3  # 50%?",
        "def f():\n    yield 1",
        "",
    ],
)
def test_plain_python_comes_back_as_it_is(cell: str) -> None:
    assert plain_python(cell).code == cell
    assert plain_python(cell).silenced == ()


def test_lines_inside_strings_and_brackets_stay_when_a_magic_is_beside_them() -> None:
    cell = "!ls\ntext = '''\n!not a command\n'''\ny = (a\n% b)\nz = \"\\\"#'\" # ''' (\n%who"
    assert plain_python(cell).code == "pass\n" + "\n".join(cell.split("\n")[1:-1]) + "\npass"


def test_a_cell_that_stays_broken_keeps_its_lines() -> None:
    assert plain_python("def f(:\n  pass").code == "def f(:\n  pass"


def test_a_long_line_takes_no_long_time() -> None:
    assert plain_python("(\n" + " " * 200_000 + "a\n x?").code.count("\n") == 2
    assert plain_python("%who\n" + "x" * 100_000 + " " * 100_000 + "-").code.startswith("pass\n")


@pytest.mark.parametrize(
    "cell",
    [
        lambda n: "%%anything\n" * (8 * n) + "x = 1",  # each of them asks whether the rest is Python
        lambda n: (" " * 1999 + "\n") * n + "%who\n(",
        lambda n: ("a" + " " * 1998 + "\n") * n + "%who\n(",
        lambda n: ("a, " * 666 + "\n") * (n // 32) + "%who\n(",
        lambda n: "%time " * (6 * n) + "x\n(",
        lambda n: "!ls\n" * (10 * n) + "(",
    ],
    ids=["cell magics", "blanks", "a name and blanks", "many names", "magic in magic", "shell lines"],
)
def test_the_time_grows_with_the_length_alone(cell: Callable[[int], str]) -> None:
    def read(length: int) -> None:
        assert plain_python(cell(length)).code.count("\n") == cell(length).count("\n")

    assert growth(read, 500) < SQUARE


def test_names_before_a_shell_command_are_set() -> None:
    assert plain_python("files = !ls").code == "files = []"
    assert plain_python("a, (b)  =  %who_ls").code == "a = b = None"
    assert plain_python("  \n  x  =!ls\n(").code == "  \n  x = []\n("


pieces = st.sampled_from(
    [
        "%who",
        "!ls",
        "x = !ls",
        "x = 1",
        "def f():",
        "    return 1",
        "'''",
        "(",
        ")",
        "name?",
        "%%time",
        "await f()",
        "#'",
        "\\",
        '"',
        "",
    ]
)


@given(st.lists(pieces, max_size=8).map("\n".join))
def test_any_mixture_keeps_its_number_of_lines_and_a_second_pass_changes_nothing(cell: str) -> None:
    once = plain_python(cell)
    assert once.code.count("\n") == cell.count("\n")
    try:
        ast.parse(once.code)
    except SyntaxError:
        return
    assert plain_python(once.code).code == once.code


@given(st.text(max_size=60))
def test_any_text_keeps_its_number_of_lines(cell: str) -> None:
    assert plain_python(cell).code.count("\n") == cell.count("\n")
