"""What a library's name stands for is followed through imports and second names, and so is what leads to what."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.model.submission import CodeChunk, CodeModule
from grader.source import leads_to
from grader.source.project import project_of, reached, uses_of
from tests.growth import SQUARE, growth

SEED = "numpy.random.seed"


def module(code: str, name: str = "work") -> CodeModule:
    return CodeModule(name, (CodeChunk(code, f"{name}.py"),))


def lines(code: str, *targets: str, more: tuple[CodeModule, ...] = ()) -> list[tuple[str, int]]:
    return [(use.file, use.line) for use in uses_of([module(code), *more], [SEED], targets)]


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("import numpy\nnumpy.random.seed(1)", 2),
        ("import numpy as np\nnp.random.seed(1)", 2),
        ("import numpy.random\nnumpy.random.seed(1)", 2),
        ("import numpy.random as r\nr.seed(1)", 2),
        ("from numpy import random as r\nr.seed(1)", 2),
        ("from numpy.random import seed as s\ns(1)", 2),
        ("from numpy.random import *\nseed(1)", 2),
        ("import numpy as np\nr = np.random\nt = r\nt.seed(1)", 4),
        ("import numpy as np\na, b = np, 1\na.random.seed(b)", 3),
        ("def f():\n    import numpy as n\n    n.random.seed(1)", 3),
        ("class A:\n    import numpy as n\n    n.random.seed(1)", 3),
        ("import numpy as np\nf = lambda: np.random.seed(1)", 2),
    ],
)
def test_a_name_of_a_library_is_found_by_whatever_name(code: str, line: int) -> None:
    assert [one for _, one in lines(code)] == [line]


@pytest.mark.parametrize(
    "code",
    [
        "import numpy as np\ndef f(np): np.random.seed(1)",
        "import numpy as np\ndef f():\n    np = g()\n    np.random.seed(1)",
        "import random as np\nnp.seed(1)",
        "class A:\n    import numpy as n\n    def f(self): n.random.seed(1)",
        "import numpy as np\ndef f(x: np.random.seed): pass",
        "a = b\nb = a\na.random.seed(1)",
        "def f(:",
    ],
)
def test_what_hides_a_name_is_something_else(code: str) -> None:
    assert lines(code) == []


def test_only_what_a_function_leads_to_is_meant() -> None:
    top = "import numpy as np\ndef deep(): np.random.seed(1)\n"
    assert lines(top + "def f(): deep()\ndef g(deep): deep()", "f") == [("work.py", 2)]
    assert lines(top + "def f(): deep()\ndef g(deep): deep()", "g") == []
    assert lines(top + "class A:\n    def __init__(self): self.d = deep\nf = A", "f") == [("work.py", 2)]
    assert lines(top + "t = {}\nt['d'] = deep\ndef f(): t['d']()", "f") == [("work.py", 2)]
    assert lines(top + "exec('f = 1')", "f") == [("work.py", 2)]  # what nothing is seen to define may lead anywhere


@pytest.mark.parametrize(
    "code",
    ["from lib import deep\ndef f(): deep()", "import lib\ndef f(): lib.deep()",
     "from .lib import deep as d\ndef f(): d()", "from lib import *\ndef f(): deep()",
     "from . import lib as l\nf = l.deep"],
)  # fmt: skip
def test_other_modules_of_the_submission_are_followed(code: str) -> None:
    other = module("import numpy as np\ndef deep(): np.random.seed(1)\ndef beside(): np.random.seed(2)", "lib")
    assert lines(code, "f", more=(other,)) == [("lib.py", 2)]


def test_one_part_leads_to_another() -> None:
    work = [module("class A: pass\nclass B:\n    def __init__(self): self.a = A()\nclass C(B): pass\nclass D: pass")]
    assert leads_to(work, "C", "A")
    assert not leads_to(work, "D", "A")
    assert not leads_to(work, "A", "C")


@pytest.mark.slow
@pytest.mark.parametrize(
    "code",
    [
        lambda n: "a=b\nb=a\n" * n + "def f(x): return a(b)",
        lambda n: "".join(f"a{at}=a{at + 1}\n" for at in range(n)) + "def f(x): return a0",
        lambda n: "def f(x):\n" + "  x=f(x)\n" * n + "  return x",
        lambda n: "x=(y:=x or y)\n" * n + "def f(q): return x(y)",
    ],
    ids=["a ring", "a chain", "calls of itself", "walruses"],
)
def test_the_time_for_hostile_names_grows_with_their_number(code: Callable[[int], str]) -> None:
    assert lines(code(9000), "f") == []
    assert growth(lambda n: lines(code(n), "f"), 1500) < SQUARE


names = st.sampled_from(["a", "b", "np", "seed", "f", "x"])
statements = st.one_of(
    st.builds("{} = {}".format, names, names),
    st.builds("{} = {}.{}".format, names, names, names),
    st.builds("import numpy as {}".format, names),
    st.builds("def {}({}): return {}({})".format, names, names, names, names),
    st.builds("class {}({}): {} = {}".format, names, names, names, names),
)


@given(st.lists(statements, max_size=12).map("\n".join))
def test_any_tangle_of_names_ends(code: str) -> None:
    work = module(code)
    assert set(reached(project_of((work,)), ("f",))) <= {*project_of((work,)).parts, *_units(work)}


def _units(work: CodeModule) -> list[object]:
    return [part for parts in project_of((work,)).units.values() for part in parts]
