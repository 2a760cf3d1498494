"""A library call that does the work is seen however the name that is asked for comes to stand for it."""

from __future__ import annotations

import pytest

from grader.model import CodeChunk, CodeModule
from grader.source import forbidden_calls, origin

NAMES = (
    "torch.softmax", "torch.nn.functional.softmax", "torch.Tensor.softmax", "torch.nn.MultiheadAttention",
    "torch.nn.functional.multi_head_attention_forward", "torch.nn.functional.scaled_dot_product_attention",
    "torch.nn.Transformer*", "scipy.special.softmax",
)  # fmt: skip
TOP = (
    "import builtins, contextlib, functools, operator, sys, types\nimport torch\nfrom torch import nn\n"
    "import torch.nn.functional as F\nimport numpy as np\n"
)


def module(code: str, name: str = "work") -> CodeModule:
    return CodeModule(name, (CodeChunk(code, f"{name}.py"),))


def seen(code: str, target: str = "softmax", *more: CodeModule) -> str:
    found = origin([module(TOP + code), *more], [target], NAMES, (target,))
    return "sure" if found.sure else "perhaps" if found.uses else "no"


BOUND = {
    "an import": "from torch import softmax",
    "an import under another name": "from torch.nn.functional import softmax as softmax",
    "an import of everything": "from torch.nn.functional import *",
    "an import in a text": "run = exec\nrun('from torch import softmax')",
    "an import with something added to it": "from torch import softmax\nsoftmax.__doc__ = 'mine'",
    "a loop": "for softmax in [torch.softmax]: pass",
    "a loop over pairs": "for softmax, _ in zip([torch.softmax], [1]): pass",
    "a with": "with contextlib.nullcontext(torch.softmax) as softmax: pass",
    "a pattern": "match torch.softmax:\n    case softmax: pass",
    "a walrus": "(softmax := torch.softmax)",
}


@pytest.mark.parametrize("code", BOUND.values(), ids=BOUND)
def test_a_name_that_only_stands_for_the_call_is_surely_the_call(code: str) -> None:
    assert seen(code) == "sure"
    assert forbidden_calls([module(TOP + code)], ["softmax"], NAMES)


OWN = "def softmax(x): return np.exp(x)\n"
PUT = {
    "the module's table": "globals()['softmax'] = torch.softmax",
    "the module's table, updated": "globals().update(softmax=torch.softmax)",
    "the module's table, updated by a dict": "vars().update({'softmax': torch.softmax})",
    "the module's table, where it was not": "locals().setdefault('softmax', torch.softmax)",
    "an attribute of the module": "setattr(sys.modules[__name__], 'softmax', torch.softmax)",
    "an attribute of the module by a second name": "me = sys.modules[__name__]\nme.softmax = torch.softmax",
    "the table in a function": "def go(): globals()['softmax'] = torch.softmax\ngo()",
    "over a definition": OWN + "globals()['softmax'] = torch.softmax",
    "over a definition by setattr": OWN + "setattr(sys.modules[__name__], 'softmax', torch.softmax)",
    "over its code": OWN + "def other(x): return torch.softmax(x, -1)\nsoftmax.__code__ = other.__code__",
    "over its code by setattr": OWN
    + "def other(x): return torch.softmax(x)\nsetattr(softmax, '__code__', other.__code__)",
    "another form by type": "@functools.singledispatch\n"
    + OWN
    + "softmax.register(np.ndarray, lambda x: F.softmax(x))",
    "another form by decoration": "@functools.singledispatch\n"
    + OWN
    + "@softmax.register\ndef _(x: np.ndarray): return F.softmax(x)",
    "a method put into the class": "class softmax(nn.Module):\n    def forward(self, x): return x\n"
    "setattr(softmax, '__call__', lambda self, x: F.softmax(x))",
}


@pytest.mark.parametrize("code", PUT.values(), ids=PUT)
def test_what_is_put_over_a_name_is_at_least_for_a_person(code: str) -> None:
    assert seen(code) in {"sure", "perhaps"}


KEPT = {
    "a list that is filled": "fs = []\nfs.append(torch.softmax)\ndef softmax(x): return fs[0](x)",
    "a dict that is updated": "fs = {}\nfs.update(a=torch.softmax)\ndef softmax(x): return fs['a'](x)",
    "a dict, where it was not": "fs = {}\nfs.setdefault('a', torch.softmax)\ndef softmax(x): return fs['a'](x)",
    "an attribute of a class by a text": "class S: pass\nsetattr(S, 'f', torch.softmax)\ndef softmax(x): return S.f(x)",
    "a generator that is sent values": "def go():\n    x = yield\n    while 1: x = yield torch.softmax(x)\n"
    "g = go()\nnext(g)\ndef softmax(x): return g.send(x)",
    "a coroutine": "async def go(x): return torch.softmax(x)\ndef softmax(x):\n"
    "    try: go(x).send(None)\n    except StopIteration as e: return e.value",
    "a key of a sort": "def softmax(x):\n    out = []\n"
    "    sorted([x], key=lambda v: out.append(torch.softmax(v)) or 0)\n    return out[0]",
    "an argument of any": "def softmax(x):\n    out = {}\n"
    "    any(out.update(y=torch.softmax(x)) for _ in [1])\n    return out['y']",
    "an argument of print": "def softmax(x):\n    out = []\n    print(out.append(torch.softmax(x)))\n    return out[0]",
    "a method named like a comparison": "class A:\n    def equal(self, y): self.y = y\na = A()\n"
    "def softmax(x):\n    a.equal(torch.softmax(x))\n    return a.y",
    "an attribute named like a form": "class A: pass\ndef softmax(x):\n    a = A()\n"
    "    a.shape = torch.softmax(x)\n    return a.shape",
    "a class of classes": "class M(type):\n    def __call__(cls, *a): return nn.MultiheadAttention(*a)\n"
    "class softmax(metaclass=M): pass",
}


@pytest.mark.parametrize("loop", ["for _ in range(9):", "while go():"])
@pytest.mark.parametrize("links", [1, 2, 3, 5, 12])
def test_a_value_is_followed_from_name_to_name_round_a_loop(loop: str, links: int) -> None:
    names = [f"v{at}" for at in range(links + 1)]
    moves = "".join(f"        {one} = {other}\n" for one, other in zip(names[:0:-1], names[-2::-1], strict=True))
    code = (
        f"def softmax(x):\n    {' = '.join(names)} = x\n    {loop}\n{moves}        v0 = {{}}(x)\n    return {names[-1]}"
    )
    assert seen(code.format("torch.softmax")) in {"sure", "perhaps"}
    assert seen(code.format("np.exp")) == "no"


@pytest.mark.parametrize("code", KEPT.values(), ids=KEPT)
def test_what_is_kept_on_the_way_is_followed(code: str) -> None:
    assert seen(code) in {"sure", "perhaps"}


CLASS = "class Part(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
CLASS += "        m = nn.MultiheadAttention(4, 2)\n"
CALLS = "    def forward(self, x): return self.f(x)"
BY_TEXT = {
    "setattr": "        setattr(self, 'f', m)\n" + CALLS,
    "add_module": "        self.add_module('f', m)\n" + CALLS,
    "register_module": "        self.register_module('f', m)\n" + CALLS,
    "the object's table": "        self.__dict__['f'] = m\n" + CALLS,
    "the table of modules": "        self._modules['f'] = m\n" + CALLS,
    "a text made elsewhere": "        self.add_module(name(), m)\n" + CALLS,
    "a hook": "        self.register_forward_hook(lambda s, a, o: m(*a)[0])\n    def forward(self, x): return x",
}


@pytest.mark.parametrize("body", BY_TEXT.values(), ids=BY_TEXT)
def test_an_attribute_given_by_a_text_is_an_attribute(body: str) -> None:
    assert seen(CLASS + body, "Part") in {"sure", "perhaps"}


SAME = [
    ("torch.softmax", "torch.torch.softmax(x)"),
    ("torch.softmax", "F.torch.softmax(x)"),
    ("torch.softmax", "torch._refs.softmax(x, -1)"),
    ("torch.softmax", "torch.ops.aten._softmax.default(x, -1, False)"),
    ("torch.softmax", "torch._decomp.decompositions._softmax(x, -1, False)"),
    ("torch.softmax", "torch.masked.softmax(x, -1)"),
    ("torch.softmax", "torch._safe_softmax(x, -1)"),
    ("torch.nn.functional.softmax", "torch.nn.modules.activation.F.softmax(x)"),
    ("torch.nn.functional.softmax", "torch._refs.nn.functional.softmax(x)"),
    ("torch.nn.functional.scaled_dot_product_attention", "torch._C._nn.scaled_dot_product_attention(x, x, x)"),
    ("torch.nn.functional.scaled_dot_product_attention", "torch._scaled_dot_product_attention_math(x, x, x)"),
    ("torch.nn.functional.scaled_dot_product_attention", "torch.ops.aten.scaled_dot_product_attention(x, x, x)"),
    ("torch.nn.functional.scaled_dot_product_attention", "torch.nn.attention.flex_attention.flex_attention(x, x, x)"),
    ("torch.nn.functional.multi_head_attention_forward", "torch._native_multi_head_attention(x, x, x)"),
    ("torch.nn.TransformerEncoderLayer", "torch._transformer_encoder_layer_fwd(x)"),
    ("torch.nn.MultiheadAttention", "torch.nn.modules.transformer.MultiheadAttention(4, 2)(x, x, x)"),
    ("torch.nn.MultiheadAttention", "torch.ao.nn.quantizable.MultiheadAttention(4, 2)(x, x, x)"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "call"), SAME)
def test_what_a_library_has_under_private_names_is_the_same(name: str, call: str) -> None:
    found = forbidden_calls([module(f"{TOP}def softmax(x): return {call}")], ["softmax"], NAMES)
    assert [use.name for use in found] == [name]


@pytest.mark.parametrize(
    "call",
    ["torch.sparse.mm(x, x)", "torch.nn.functional.relu(x)", "torch.special.expit(x)", "torch.log_softmax(x, -1)",
     "nn.attention.SDPBackend", "torch._refs.exp(x)", "torch.masked.mean(x)"],
)  # fmt: skip
def test_what_is_not_listed_stays_allowed_under_every_name(call: str) -> None:
    assert seen(f"def softmax(x): return {call}") == "no"


FREE = {
    "a comparison of all at the top": OWN + "rows = []\nrows.append(torch.softmax(1))\nassert rows == [softmax(1)]",
    "a name imported and not asked for": "from torch import softmax as theirs\n" + OWN,
    "what is imported and defined again": "from torch import softmax\n" + OWN,
    "a test with numpy's help": OWN + "np.testing.assert_allclose(softmax(1), torch.softmax(1))",
    "a loop of comparisons": OWN + "for case in [1, 2]:\n    print(softmax(case) - torch.softmax(case))",
    "a test beside": OWN + "@contextlib.contextmanager\ndef check(): yield torch.softmax(1)\n",
}


@pytest.mark.parametrize("code", FREE.values(), ids=FREE)
def test_what_stands_beside_an_own_definition_is_free(code: str) -> None:
    assert seen(code) == "no"


def test_a_second_name_in_another_file_is_the_same_function() -> None:
    lib = module("import torch\ndef soft(x): return torch.softmax(x, -1)\ndef own(x): return x", "lib")
    assert seen("from lib import soft as softmax", "softmax", lib) == "sure"
    assert seen("from lib import own as softmax", "softmax", lib) == "no"
    again = module("from torch import softmax as s", "lib")
    assert seen("from lib import s as softmax", "softmax", again) == "sure"


def test_a_definition_in_another_file_does_not_hide_what_the_first_one_imports() -> None:
    other = module("def softmax(x): return x", "other")
    assert seen("from torch import softmax", "softmax", other) == "sure"
    assert seen("from other import softmax", "softmax", other) == "no"
    assert seen("import other\nother.softmax = torch.softmax", "softmax", other) == "perhaps"
    assert seen("import other\nsetattr(other, 'softmax', torch.softmax)", "softmax", other) == "perhaps"
