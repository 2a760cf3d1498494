from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.model import CodeChunk, CodeModule
from grader.source import Use, calls_in, forbidden_calls, texts_run
from tests.growth import SQUARE, growth

FORBIDDEN = [
    "torch.softmax", "torch.nn.functional.softmax", "torch.Tensor.softmax", "torch.nn.Transformer*",
    "torch.nn.MultiheadAttention", "scipy.special.softmax",
]  # fmt: skip


def module(code: str, name: str = "work") -> CodeModule:
    return CodeModule(name, (CodeChunk(code, f"{name}.py"),))


def found(
    code: str, *more: CodeModule, inside: str | None = None, targets: tuple[str, ...] = ("softmax",)
) -> list[tuple[str, int]]:
    uses = forbidden_calls([module(code), *more], targets, FORBIDDEN, inside)
    return [(use.name, use.line) for use in uses]


SOFTMAX, FUNCTIONAL, METHOD = "torch.softmax", "torch.nn.functional.softmax", "torch.Tensor.softmax"


@pytest.mark.parametrize(
    ("top", "value", "name"),
    [
        ("import torch", "torch.softmax(x, -1)", SOFTMAX),
        ("import torch as t", "t.softmax(x, -1)", SOFTMAX),
        ("import torch.nn.functional as F", "F.softmax(x)", FUNCTIONAL),
        ("import torch.nn.functional", "torch.nn.functional.softmax(x)", FUNCTIONAL),
        ("from torch.nn import functional", "functional.softmax(x)", FUNCTIONAL),
        ("from torch.nn.functional import softmax as s", "s(x)", FUNCTIONAL),
        ("from torch.nn.functional import *", "(lambda y: softmax(y))(x) if 0 else gelu(x)", None),
        ("import torch\nt = torch\nu = t", "u.softmax(x, -1)", SOFTMAX),
        ("import torch\na, b = torch, 1", "a.softmax(x, -1)", SOFTMAX),
        ("import torch\nf = torch.softmax", "f(x, -1)", SOFTMAX),
        ("import torch\nb = torch.softmax\na = b\nb = a", "a(x, -1)", SOFTMAX),
        ("import torch", "getattr(torch, 'soft' + 'max')(x, -1)", SOFTMAX),
        ("import torch\nword = 'xamtfos'[::-1]", "getattr(torch, word)(x, -1)", SOFTMAX),
        ("import torch", "getattr(torch, ''.join(['soft', 'max']))(x, -1)", SOFTMAX),
        ("import torch", "getattr(torch, f\"soft{'max'}\")(x, -1)", SOFTMAX),
        ("import torch", "getattr(torch, '%smax' % 'soft')(x, -1)", SOFTMAX),
        ("import torch", "getattr(torch, bytes([115,111,102,116,109,97,120]).decode())(x, -1)", SOFTMAX),
        ("import torch.nn.functional as F", "F.__dict__['softmax'](x)", FUNCTIONAL),
        ("import torch.nn.functional as F", "vars(F).get('softmax')(x)", FUNCTIONAL),
        ("import torch", "torch.__getattribute__('softmax')(x, -1)", SOFTMAX),
        ("import importlib", "importlib.import_module('torch.nn.functional').softmax(x)", FUNCTIONAL),
        ("from importlib import import_module as i", "i('torch').softmax(x, -1)", SOFTMAX),
        ("", "__import__('torch').softmax(x, -1)", SOFTMAX),
        ("", "__import__('torch.nn.functional', fromlist=['softmax']).softmax(x)", FUNCTIONAL),
        ("import sys", "sys.modules['torch'].softmax(x, -1)", SOFTMAX),
        ("from operator import attrgetter\nimport torch", "attrgetter('nn.functional.softmax')(torch)(x)", FUNCTIONAL),
        ("import torch", "eval('torch.softmax')(x, -1)", SOFTMAX),
        ("", "exec('import torch as q\\nprint(q.softmax(1))')", SOFTMAX),
        ("import torch\nTABLE = {'s': torch.softmax}", "TABLE['s'](x, -1)", SOFTMAX),
        ("import torch\ndef lib(): return torch", "lib().softmax(x, -1)", SOFTMAX),
        ("import torch\nfrom functools import partial\np = partial(torch.softmax, dim=-1)", "p(x)", SOFTMAX),
        ("import torch", "list(map(torch.softmax, x))", SOFTMAX),
        ("", "x.softmax(-1)", METHOD),
        ("", "(x @ x.T).softmax(dim=-1)", METHOD),
        ("import torch", "torch.Tensor.softmax(x, -1)", METHOD),
        ("import torch", "torch._C._VariableFunctions.softmax(x, -1)", SOFTMAX),
        ("from torch.nn.modules.activation import MultiheadAttention as M", "M(2, 2)", "torch.nn.MultiheadAttention"),
        ("from torch import nn", "nn.TransformerEncoderLayer(2, 2)", "torch.nn.TransformerEncoderLayer"),
        ("import scipy", "scipy.special.softmax(x)", "scipy.special.softmax"),
    ],
)  # fmt: skip
def test_a_forbidden_function_is_found_by_whatever_name(top: str, value: str, name: str | None) -> None:
    names = {use for use, _ in found(f"{top}\ndef softmax(x):\n    return {value}")}
    assert names == ({name} if name else set())


REFLECTION = [
    ("from operator import methodcaller", "methodcaller('softmax', dim=-1)(x)", METHOD),
    ("import operator\nm = operator.methodcaller('softmax', -1)", "list(map(m, x))", METHOD),
    ("import operator, torch\ng = operator.attrgetter('nn.functional.softmax')", "g(torch)(x)", FUNCTIONAL),
    ("import operator, torch", "operator.itemgetter('softmax')(vars(torch))(x)", SOFTMAX),
    ("import torch", "eval(compile('torch.softmax', '', 'eval'))(x)", SOFTMAX),
    ("import ast", "eval(compile(ast.parse('__import__(\"torch\").softmax'), '', 'eval'))(x)", SOFTMAX),
    ("code = compile('import torch as t\\ny = t.softmax(1)', '', 'exec')", "exec(code)", SOFTMAX),
    ("exec('from torch import softmax as s')", "s(x)", SOFTMAX),
    ("exec('def soft(x):\\n    import torch\\n    return torch.softmax(x, -1)')", "soft(x)", SOFTMAX),
    ("import inspect, torch", "dict(inspect.getmembers(torch))['softmax'](x)", SOFTMAX),
    ("import inspect, torch", "[f for n, f in inspect.getmembers(torch) if n == 'softmax'][0](x)", SOFTMAX),
    ("import inspect, torch", "next(f for n, f in vars(torch).items() if 'softmax' == n)(x)", SOFTMAX),
    ("import inspect, torch", "inspect.getattr_static(torch, 'softmax')(x)", SOFTMAX),
    ("import torch", "{**vars(torch)}['softmax'](x)", SOFTMAX),
    ("import torch", "dict(vars(torch)).get('softmax')(x)", SOFTMAX),
    ("import importlib", "importlib.import_module(name='.functional', package='torch.nn').softmax(x)", FUNCTIONAL),
    ("import functools, torch", "functools.reduce(getattr, ['nn', 'functional', 'softmax'], torch)(x)", FUNCTIONAL),
    ("import functools, torch", "functools.reduce(getattr, 'nn.functional.softmax'.split('.'), torch)(x)", FUNCTIONAL),
    ("import functools as f, torch", "f.reduce(lambda a, b: getattr(a, b), ('nn', 'functional', 'softmax'), torch)(x)",
     FUNCTIONAL),
    ("import torch\nobj = torch\nfor part in 'nn.functional.softmax'.split('.'):\n    obj = getattr(obj, part)",
     "obj(x)", FUNCTIONAL),
    ("import torch", "__builtins__['getattr'](torch, 'softmax')(x)", SOFTMAX),
    ("import torch", "__builtins__.getattr(torch, 'softmax')(x)", SOFTMAX),
    ("import pydoc", "pydoc.locate('torch.nn.functional.softmax')(x)", FUNCTIONAL),
    ("import pkgutil", "pkgutil.resolve_name('torch.nn.functional:softmax')(x)", FUNCTIONAL),
    ("import torch", "getattr(torch.tensor(x), 'soft' + 'max')(-1)", METHOD),
    ("from torch import *", "(softmax)(x, -1)", None),
]  # fmt: skip


@pytest.mark.parametrize(("top", "value", "name"), REFLECTION)
def test_a_forbidden_function_is_found_where_a_text_names_it(top: str, value: str, name: str | None) -> None:
    assert (name in {use for use, _ in found(f"{top}\ndef softmax(x):\n    return {value}")}) is (name is not None)


@pytest.mark.parametrize(
    "code",
    [
        "from operator import methodcaller\ndef softmax(x): return methodcaller('max', -1)(x)",
        (
            "from operator import methodcaller\nclass A:\n    def softmax(self): return 1\n"
            "def softmax(x): return methodcaller('softmax')(A())"
        ),
        "def softmax(x, config=None): return x if getattr(config, 'softmax', None) else -x",
        "import torch\ndef softmax(x):\n    for name in ('exp', 'log'): x = getattr(torch, name)(x)\n    return x",
        "import numpy as np\nfrom functools import reduce\ndef softmax(x): return reduce(np.add, [x, x], x)",
        "exec('import torch\\ndef check(x): return torch.softmax(x, -1)')\ndef softmax(x): return x",
        "import inspect, torch\ndef softmax(x): return [n for n, f in inspect.getmembers(torch) if n == 'exp']",
        "from torch import *\ndef softmax(x): return exp(x) / exp(x).sum(-1)",
        "def softmax(x): return eval('x * 2')",
        "def softmax(x): return eval(input())",
    ],
)
def test_texts_that_name_nothing_forbidden_are_left_alone(code: str) -> None:
    assert found(code) == []


@pytest.mark.parametrize(
    "code",
    [
        "import torch\ndef softmax(x): return x\nassert torch.softmax(1) == softmax(1)",
        "import torch\ndef other(x): return torch.softmax(x, -1)\ndef softmax(x): return x",
        "import torch.nn.functional as F\ndef softmax(x: F.softmax) -> F.softmax:\n    return isinstance(x, F.softmax)",
        "import torch.nn.functional as F\ndef softmax(x):\n    'uses F.softmax'\n    return x  # F.softmax(x)",
        "from torch.nn.functional import softmax as s\ndef softmax(x, s): return s(x)",
        (
            "class A:\n    def softmax(self, x): return x\n"
            "    def f(self, x): return self.softmax(x)\ndef softmax(x): return A().f(x)"
        ),
        "import mine\ndef softmax(x): return mine.softmax(x)",
        "import torch\ndef softmax(x):\n    torch = x\n    return torch.exp()",
        "import numpy as np\ndef softmax(x): return np.exp(x) / np.exp(x).sum()",
        "def softmax(x):\n    def softmax(y): return y\n    return softmax(x)",
        "def softmax(:",
    ],
)
def test_what_is_not_used_by_the_function_is_not_reported(code: str) -> None:
    assert found(code) == []


def test_helpers_classes_and_objects_that_a_function_leads_to_count() -> None:
    code = (
        "import torch\nfrom torch import nn\n"
        "def deep(x):\n    return torch.softmax(x, -1)\n"
        "class Layer(nn.MultiheadAttention):\n    pass\n"
        "layer = Layer(2, 2)\n"
        "def softmax(x):\n    return layer(deep(x))\n"
    )
    assert found(code) == [(SOFTMAX, 4), ("torch.nn.MultiheadAttention", 5)]


def test_attributes_of_self_are_followed() -> None:
    code = (
        "import torch\nclass A:\n    F = torch.nn.functional\n    def __init__(self):\n"
        "        self.s = self.F.softmax\n    def forward(self, x):\n        return self.s(x)"
    )
    assert found(code, targets=("A",)) == [(FUNCTIONAL, 5), (FUNCTIONAL, 7)]


def test_inside_narrows_the_search_to_one_function() -> None:
    code = "import torch\ndef softmax(x): return x\ndef block(x): return torch.softmax(softmax(x), -1)"
    assert found(code, inside="softmax", targets=("softmax", "block")) == []
    assert found(code, inside="block", targets=()) == [(SOFTMAX, 3)]
    assert found(code, targets=()) == [(SOFTMAX, 3)]


def test_the_other_modules_of_a_submission_are_followed() -> None:
    lib = CodeModule(
        "lib.fast",
        (CodeChunk("import torch as t\nfrom torch import softmax as soft\ndef go(x): return soft(x)", "lib/fast.py"),),
    )
    code = (
        "from lib.fast import go, t\nfrom lib import fast\n"
        "def softmax(x): return go(x)\ndef second(x): return t.softmax(x)"
    )
    uses = forbidden_calls([module(code), lib], ["softmax"], FORBIDDEN)
    assert uses == (Use(SOFTMAX, "lib/fast.py", 3),)
    assert found(code, lib, targets=("second",)) == [(SOFTMAX, 4)]
    relative = CodeModule(
        "lib.b",
        (CodeChunk("from .fast import soft\nfrom . import fast\ndef f(x): return soft(fast.soft(x))", "lib/b.py"),),
    )
    assert found("", lib, relative, targets=("f",)) == [(SOFTMAX, 3)]


def test_a_second_name_of_a_module_is_followed() -> None:
    real = CodeModule("src.b", (CodeChunk("from torch import softmax as s", "src/b.py"),))
    stand_in = "import importlib, sys\nsys.modules[__name__] = importlib.import_module('src.b')\n"
    alias = CodeModule("b", (CodeChunk(stand_in, "<b>"),))
    assert found("import b\ndef softmax(x): return b.s(x)", real, alias) == [(SOFTMAX, 2)]


def test_cells_of_a_notebook_share_their_names_and_are_named() -> None:
    cells = ["import torch.nn.functional as F", "x = (", "def softmax(x):\n    return F.softmax(x)"]
    work = CodeModule("work", tuple(CodeChunk(code, f"work.ipynb[cell {n}]", n) for n, code in enumerate(cells, 1)))
    assert forbidden_calls([work], ["softmax"], FORBIDDEN) == (Use(FUNCTIONAL, "work.ipynb", 2, 3),)


def test_a_name_below_a_forbidden_one_is_forbidden_and_globs_are_followed() -> None:
    work = module(
        "import scipy.special\nfrom torch import nn\n"
        "def f(x): return scipy.special.expit(x), nn.Transformer.x, nn.Linear"
    )
    assert [use.name for use in forbidden_calls([work], ["f"], ["scipy", "torch.nn.Tr?nsformer"])] == [
        "scipy",
        "torch.nn.Transformer",
    ]


def test_a_global_declared_in_a_function_is_known_outside() -> None:
    assert found(
        "def load():\n    global t\n    import torch as t\ndef softmax(x):\n    load()\n    return t.softmax(x, -1)"
    ) == [(SOFTMAX, 6)]


def test_calls_have_their_full_names_in_order() -> None:
    work = module(
        "import numpy as np\ndef helper(x): pass\nclass A:\n    def f(self, x):\n"
        "        return helper(np.sqrt(x).sum(axis=-1)) + len(x)"
    )
    assert {use.name for use in calls_in(work, "A.f")} == {"builtins.len", "work.helper", ".sum", "numpy.sqrt"}
    assert {use.line for use in calls_in(work, "A")} == {5}
    assert calls_in(work, "missing") == ()


@pytest.mark.parametrize(
    "code",
    [
        lambda n: "a=b\nb=a\n" * n + "def softmax(x): return a(b)",
        lambda n: "".join(f"a{at}=a{at + 1}\n" for at in range(n)) + "def softmax(x): return a0",
        lambda n: "def softmax(x):\n" + "  x=softmax(x)\n" * n + "  return x",
        lambda n: "x=(y:=x or y)\n" * n + "def softmax(q): return x(y)",
    ],
)
def test_the_time_for_hostile_names_grows_with_their_number(code: Callable[[int], str]) -> None:
    assert found(code(4000)) == []
    assert growth(lambda n: found(code(n)), 1000) < SQUARE


def test_the_time_for_modules_that_import_everything_from_each_other_grows_with_their_number() -> None:
    def circle(length: int) -> list[CodeModule]:
        code = "from m{} import *\nfrom m{} import *"
        return [module(code.format((n + 1) % length, (n + 7) % length), f"m{n}") for n in range(length)]

    def work(length: int) -> None:
        assert found("from m0 import *\ndef softmax(x): return unknown(x)", *circle(length)) == []

    assert growth(work, 25) < SQUARE


def test_texts_that_cannot_be_read_are_pointed_at_and_no_others() -> None:
    top = "def softmax(x):\n    eval('x + 1')\n    exec('y = ' + '1')\n    x.eval()\n"
    code = top + "    return eval(input())\ndef f(x): exec(x)"
    assert [(use.name, use.line) for use in texts_run([module(code)], ["softmax"])] == [("eval", 5)]
    assert [(use.name, use.line) for use in texts_run([module(code)])] == [("eval", 5), ("exec", 6)]


names = st.sampled_from(["a", "b", "torch", "F", "softmax", "x"])
lines = st.one_of(
    st.builds("{} = {}".format, names, names),
    st.builds("{} = {}.{}".format, names, names, names),
    st.builds("import torch as {}".format, names),
    st.builds("def {}({}): return {}({})".format, names, names, names, names),
    st.builds("class {}({}): {} = {}".format, names, names, names, names),
    st.builds("{} = getattr({}, 'soft' + {})".format, names, names, names),
)


@given(st.lists(lines, max_size=12).map("\n".join))
def test_any_tangle_of_names_ends(code: str) -> None:
    for name, line in found(code, targets=()):
        assert name in FORBIDDEN
        assert 1 <= line <= 12
