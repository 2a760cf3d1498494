from __future__ import annotations

from collections.abc import Callable

import pytest

from grader import source
from grader.model.outcome import Location
from grader.model.submission import CodeChunk, CodeModule


def module(code: str, name: str = "work") -> CodeModule:
    return CodeModule(name, (CodeChunk(code, f"{name}.py"),))


def lines(fact: Callable[..., tuple[source.Use, ...]], code: str) -> list[tuple[str, int]]:
    return [(use.name, use.line) for use in fact([module(code)])]


# ---------------------------------------------------------------------------------------------------- names


def test_defined_names_have_kind_and_place_and_the_last_definition_counts() -> None:
    cells = (
        "import numpy as np\ndef f(): pass\nG, h = 1, lambda: 0",
        "x = (",
        "if 1:\n    class C: pass\nf = lambda x: x",
    )
    work = CodeModule("work", tuple(CodeChunk(code, f"w.ipynb[cell {n}]", n) for n, code in enumerate(cells, 1)))
    found = {name: (one.kind, one.location) for name, one in source.defined_names(work).items()}
    assert found == {
        "f": ("function", Location("w.ipynb", 3, 3)),
        "G": ("value", Location("w.ipynb", 3, 1)),
        "h": ("value", Location("w.ipynb", 3, 1)),
        "C": ("class", Location("w.ipynb", 2, 3)),
    }


def test_syntax_faults_have_their_place() -> None:
    found = source.syntax_faults([module("x = 1\ndef f(:\n"), module("y = 1", "b")])
    assert [(fault.location, fault.message) for fault in found] == [(Location("work.py", 2), "invalid syntax")]


def test_a_traceback_filename_leads_back_to_file_and_cell() -> None:
    work = CodeModule("work", (CodeChunk("x", "w.ipynb[cell 2]", 2),))
    assert source.place([work], "w.ipynb[cell 2]", 7) == Location("w.ipynb", 7, 2)
    assert source.place([work], "/usr/lib/numpy.py", 7) is None


@pytest.mark.parametrize(
    ("missing", "defined", "meant"),
    [
        ("self_attention", ["softmax", "self_atention"], "self_atention"),
        ("self_attention", ["selfAttention"], "selfAttention"),
        ("scaled_dot_product_attention", ["ScaledDotProductAttention", "softmax"], "ScaledDotProductAttention"),
        ("MultiHeadAttention", ["MultiHeadedAttention"], "MultiHeadedAttention"),
        ("softmax", ["stable_softmax"], "stable_softmax"),
        ("softmax", ["Softmax", "softmax2"], "Softmax"),
        ("causal_mask", ["casual_mask"], "casual_mask"),
        ("positional_encoding", ["positional_encodings"], "positional_encodings"),
        ("softmax", ["relu", "x"], None),
        ("softmax", [], None),
        ("padding_mask", ["f", "pad"], None),
    ],
)
def test_the_name_that_was_meant_is_suggested(missing: str, defined: list[str], meant: str | None) -> None:
    assert source.suggest(missing, defined) == meant


def test_a_name_that_is_asked_for_itself_is_not_suggested() -> None:
    assert source.suggest("EncoderLayer", ["DecoderLayer"]) == "DecoderLayer"
    assert source.suggest("EncoderLayer", ["DecoderLayer"], taken={"DecoderLayer"}) is None


# ---------------------------------------------------------------------------------------------------- signs


def test_prints_are_found_in_the_function_alone() -> None:
    code = "import sys\nprint(1)\ndef f(x):\n    print(x)\n    sys.stdout.write('a')\n    return x"
    assert source.prints_in(module(code), "f") == (Location("work.py", 4), Location("work.py", 5))


def test_global_seeds_are_found_with_their_place_and_own_generators_are_not() -> None:
    code = (
        "import numpy as np, random, torch\nnp.random.seed(0)\n"
        "from numpy.random import seed as s\ns(1)\nrandom.seed(2)\n"
        "rng = np.random.default_rng(3)\ng = torch.Generator().manual_seed(5)\n"
        "def f():\n    torch.manual_seed(4)\ndef g(): pass"
    )
    assert lines(source.global_seed_calls, code) == [
        ("numpy.random.seed", 2), ("numpy.random.seed", 4), ("random.seed", 5), ("torch.manual_seed", 9),
    ]  # fmt: skip
    assert [use.line for use in source.global_seed_calls([module(code)], ["f"])] == [9]
    assert source.global_seed_calls([module(code)], ["g"]) == ()


def test_looking_at_callers_is_found() -> None:
    code = (
        "import inspect, sys\nf = inspect.currentframe().f_back.f_locals\n"
        "g = sys._getframe(1)\nimport gc\ngc.get_objects()\nx.frame"
    )
    assert lines(source.uses_inspect_frames, code) == [
        (".f_back", 2), (".f_locals", 2), ("inspect.currentframe", 2), ("sys._getframe", 3), ("gc.get_objects", 5),
    ]  # fmt: skip
    assert lines(source.uses_inspect_frames, "import inspect\ninspect.signature(f)") == []


_KEEPS_ARGUMENTS = """
class Base:
    def keep(self):
        back = inspect.currentframe().f_back
        self.__dict__.update(inspect.getargvalues(back)[3])
class Layer(Base):
    def __init__(self, d):
        self.keep()
"""
_CALLS_IT = "\ndef softmax(x):\n    return peek()['want']"
_IS_FORWARD = """
class M:
    def forward(self, x):
        return sys._getframe(1).f_locals
    def go(self):
        self.forward(1)
"""


@pytest.mark.parametrize(
    "code",
    [
        _KEEPS_ARGUMENTS,
        "def softmax(x):\n    print(inspect.currentframe().f_code.co_name)\n    return x",
        "def keep():\n    return sys._getframe(1).f_locals\ndef run(a):\n    return keep()",
    ],
)
def test_looking_at_a_caller_of_ones_own_is_innocent(code: str) -> None:
    assert source.uses_inspect_frames([module("import inspect, sys\n" + code)], ["softmax"]) == ()


@pytest.mark.parametrize(
    "code",
    [
        "def softmax(x):\n    return inspect.currentframe().f_back.f_locals['want']",
        "def peek():\n    return inspect.currentframe().f_back.f_back.f_locals" + _CALLS_IT,
        "def peek():\n    return sys._getframe(2).f_locals" + _CALLS_IT,
        "def peek():\n    f = inspect.currentframe()\n    while f:\n        f = f.f_back" + _CALLS_IT,
        "def peek():\n    return inspect.stack()[3]" + _CALLS_IT,
        "def peek():\n    return gc.get_objects()" + _CALLS_IT,
        _IS_FORWARD,
    ],
)
def test_looking_past_ones_own_functions_is_found(code: str) -> None:
    assert source.uses_inspect_frames([module("import inspect, sys, gc\n" + code)], ["softmax"])


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("import numpy as np\nnp.allclose = lambda *a: True", "numpy.allclose"),
        ("import numpy\nt = numpy.testing\nt.assert_allclose = print", "numpy.testing.assert_allclose"),
        ("import numpy as np\nsetattr(np, 'allclose', print)", "numpy.allclose"),
        ("import numpy as np\nsetattr(np, 'all' + 'close', print)", "numpy.…"),
        ("import numpy as np\nnp.__dict__['allclose'] = print", "numpy.allclose"),
        ("import builtins\nbuiltins.sum = max", "builtins.sum"),
        ("import sys\nsys.modules['numpy'] = None", "sys.modules.numpy"),
        ("import torch\ntorch.Tensor.__eq__ = lambda a, b: True", "torch.Tensor.__eq__"),
        ("import torch\ndel torch.softmax", "torch.softmax"),
        ("import torch\ntorch.allclose, x = print, 1", "torch.allclose"),
        ("from unittest import mock\nmock.patch('numpy.allclose')", "numpy.allclose"),
    ],
)
def test_replacing_parts_of_a_library_is_found(code: str, name: str) -> None:
    found = lines(source.patches_foreign_attributes, code)
    assert found == [(name, len(code.split("\n")))]


@pytest.mark.parametrize(
    "code",
    [
        "class A: pass\nA.x = 1\na = A()\na.y = 2",
        "import torch\nm = torch.nn.Linear(2, 2)\nm.weight = 1\nm.weight.data[0] = 2",
        "import torch\ntorch.backends.cudnn.deterministic = True",
        "import matplotlib.pyplot as plt\nplt.rcParams['x'] = 1\nplt.style = 2",
        "import sys\nsys.stdout = open('x')",
        "class A:\n    def __init__(self, np):\n        self.np = np\n        np.x = 1",
        "import numpy as np\nx = np.zeros(3)\nx[0] = 1\nx.shape = (3, 1)",
    ],
)
def test_assigning_to_ones_own_things_and_settings_is_not_patching(code: str) -> None:
    assert lines(source.patches_foreign_attributes, code) == []


def test_objects_that_equal_everything_are_found() -> None:
    code = (
        "class A:\n    def __eq__(self, other):\n        return True\nclass B:\n    __eq__ = lambda s, o: True\n"
        "C = type('C', (), {'__eq__': lambda s, o: True})\nclass D:\n    def __ne__(self, o): return False\n"
        "class E:\n    def __eq__(self, o):\n        if o is self:\n"
        "            return True\n        return self.x == o.x\n"
    )
    assert lines(source.defines_equal_anything, code) == [("__eq__", 2), ("__eq__", 5), ("__eq__", 6), ("__ne__", 8)]


@pytest.mark.parametrize(
    "test",
    [
        "if np.array_equal(x, np.array([1.0, 2.0, 3.0])):\n        return np.array([0.09, 0.24, 0.67])",
        "if x.tolist() == [1, 2, 3]:\n        return np.array([0.09, 0.24, 0.67])",
        "if (x == np.array([[1, 2], [3, 4]])).all():\n        return [0.5, 0.5]",
        "if x.shape == (2, 3):\n        y = 1\n        return np.array([[1, 2], [3, 4]])",
        "if n == 1 and d == 512:\n        return 0.000174693",
    ],
)
def test_a_hard_coded_case_is_found(test: str) -> None:
    assert lines(source.returns_constant_for_equal_input, f"def f(x, n, d):\n    {test}\n    return x") == [("==", 2)]


@pytest.mark.parametrize(
    "test",
    [
        "if n == 0:\n        return []",
        "if x.ndim == 1:\n        return x",
        "if x.size == 0:\n        return 0.0",
        "if mode == 'mean':\n        return x.mean()",
        "if n == 1:\n        return 1.0",
        "if x > 3:\n        return [1, 2]",
        "if x.shape == (2, 3):\n        return x.T",
        "if beam == 1:\n        return greedy(x, [1, 2])",
    ],
)
def test_a_guard_is_not_a_hard_coded_case(test: str) -> None:
    assert lines(source.returns_constant_for_equal_input, f"def f(x, n, d):\n    {test}\n    return x") == []
