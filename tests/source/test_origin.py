"""Whether results come from a library call: surely, perhaps, or not at all."""

from __future__ import annotations

from itertools import count

import pytest

from grader.model import CodeChunk, CodeModule
from grader.source import flow, origin

NAMES = ("torch.softmax", "torch.nn.functional.softmax", "torch.nn.MultiheadAttention", "torch.nn.Transformer*")
TOP = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\nimport numpy as np\n"
CLASS = "class Part(nn.Module):\n    def __init__(self):\n        super().__init__()\n"


def seen(code: str, target: str, *apart: str) -> str:
    found = origin([CodeModule("work", (CodeChunk(TOP + code, "work.py"),))], [target], NAMES, (target, *apart))
    assert bool(found.uses) or not found.sure
    return "sure" if found.sure else "perhaps" if found.uses else "no"


SURE = {
    "returned": "def softmax(x): return torch.softmax(x, -1)",
    "by another name": "s = torch.softmax\ndef softmax(x):\n    return s(x, -1)",
    "kept in a name": "def softmax(x):\n    out = F.softmax(x)\n    out = out.numpy()\n    return out",
    "in a pair": "def softmax(x):\n    a, b = F.softmax(x), 1\n    return a",
    "by a helper": "def deep(y): return F.softmax(y)\ndef softmax(x): return deep(x) * 1",
    "by a nested function": "def softmax(x):\n    def go(y): return F.softmax(y)\n    return go(x)",
    "by a lambda": "def softmax(x):\n    go = lambda y: F.softmax(y)\n    return go(x)",
    "in a loop": "def softmax(x):\n    y = np.zeros(3)\n    for i in range(3): y[i] = F.softmax(x[i])\n    return y",
    "rows appended": "def softmax(x):\n    y = []\n    for r in x: y.append(F.softmax(r))\n    return np.stack(y)",
    "in a list of rows": "def softmax(x): return np.stack([F.softmax(r) for r in x])",
    "written into the result": "def softmax(x):\n    y = np.zeros(3)\n    np.copyto(y, F.softmax(x))\n    return y",
    "in both branches": "def softmax(x):\n    if x: y = F.softmax(x)\n    else: y = torch.softmax(x)\n    return y",
    "after a guard": "def softmax(x):\n    if not x: raise ValueError\n    return F.softmax(x)",
    "in a with": "def softmax(x):\n    with torch.no_grad():\n        return F.softmax(x)",
    "in a try": "def softmax(x):\n    try: return F.softmax(x)\n    except ValueError: raise",
    "after own beginnings": "def softmax(x):\n    x = x - x.max()\n    x = F.softmax(x)\n    return x",
    "by a walrus": "def softmax(x):\n    if (y := F.softmax(x)) is not None: return y\n    return y",
    "filled in": "def softmax(x):\n    x[:] = F.softmax(x)",
    "yielded": "def softmax(x):\n    yield F.softmax(x)",
    "given a name below": "def own(x): return F.softmax(x)\nsoftmax = own",
    "captured by a pattern": "def softmax(x):\n    match F.softmax(x):\n        case y: return y",
    "a nonlocal of a nested function": "def softmax(x):\n    y = None\n    def go():\n        nonlocal y\n"
    "        y = F.softmax(x)\n    go()\n    return y",
    "a function of theirs named like a comparison": "def equal(y): return y\n"
    "def softmax(x): return equal(F.softmax(x))",
    "a function of theirs named like an assertion": "def assert_ok(y): return y\n"
    "def softmax(x): return assert_ok(F.softmax(x))",
    "in an exception": "def softmax(x):\n    try: raise ValueError(F.softmax(x))\n"
    "    except ValueError as e: y = e.args[0]\n    return y",
    "named by a with": "def softmax(x):\n    with held(F.softmax(x)) as y:\n        return y",
    "a partial": "from functools import partial\nsoftmax = partial(F.softmax, dim=-1)",
}


@pytest.mark.parametrize("code", SURE.values(), ids=SURE)
def test_what_every_way_returns_is_sure(code: str) -> None:
    assert seen(code, "softmax") == "sure"


PERHAPS = {
    "in one branch": "def softmax(x):\n    if x.ndim > 2: return F.softmax(x)\n    return np.exp(x)",
    "where nothing else is to be had": "def softmax(x):\n    try: return F.softmax(x)\n    except ValueError: return 1",
    "for one name in one branch": "def softmax(x):\n    y = np.exp(x)\n    if x.big: y = F.softmax(x)\n    return y",
    "overwritten": "def softmax(x):\n    y = F.softmax(x)\n    y = np.exp(x)\n    return y",
    "a text that runs": "def softmax(x):\n    exec('y = torch.softmax(x)')\n    return y",
    "kept in a list of the module": "KEPT = []\ndef go(x): KEPT.append(F.softmax(x))\n"
    "def softmax(x):\n    go(x)\n    return KEPT[-1]",
    "kept in a dict of the module": "KEPT = {}\ndef go(x): KEPT['y'] = F.softmax(x)\n"
    "def softmax(x):\n    go(x)\n    return KEPT['y']",
    "after a return": "def softmax(x):\n    return np.exp(x)\n    return F.softmax(x)",
}


@pytest.mark.parametrize("code", PERHAPS.values(), ids=PERHAPS)
def test_what_comes_from_it_on_some_way_is_for_a_person(code: str) -> None:
    assert seen(code, "softmax") == "perhaps"


BESIDE = {
    "at the bottom": "def softmax(x): return np.exp(x)\nassert np.allclose(softmax(1), F.softmax(1))",
    "under main": "def softmax(x): return x\nif __name__ == '__main__':\n    print(F.softmax(1) - softmax(1))",
    "asserted": "def softmax(x):\n    y = np.exp(x)\n    assert np.allclose(y, F.softmax(x))\n    return y",
    "compared": "def softmax(x):\n    y, z = x.exp(), F.softmax(x)\n    if np.allclose(y, z): print(y)\n    return y",
    "tested": "def softmax(x):\n    y = np.exp(x)\n    np.testing.assert_allclose(y, F.softmax(x))\n    return y",
    "the error printed": "def softmax(x):\n    y = np.exp(x)\n    print(abs(F.softmax(x) - y).max())\n    return y",
    "a verdict returned beside": "def softmax(x):\n    y = np.exp(x)\n    return y, np.allclose(y, F.softmax(x))",
    "another function": "def check(x): return F.softmax(x)\ndef softmax(x): return np.exp(x)",
    "called and left": "def check(x): assert x == F.softmax(x)\ndef softmax(x):\n    check(x)\n    return np.exp(x)",
    "the form alone": "def softmax(x): return np.zeros(F.softmax(x).shape)",
}


@pytest.mark.parametrize("code", BESIDE.values(), ids=BESIDE)
def test_a_comparison_is_not_the_work(code: str) -> None:
    assert seen(code, "softmax") == "no"


IN_CLASSES = {
    "an attribute": (
        "        self.a = nn.MultiheadAttention(4, 2)\n    def forward(self, x): return self.a(x)[0]",
        "sure",
    ),
    "in a method": ("    def go(self, x): return F.softmax(x)\n    def forward(self, x): return self.go(x)", "sure"),
    "in a list": (
        (
            "        self.all = nn.ModuleList([nn.TransformerEncoderLayer(4, 2) for _ in range(2)])\n"
            "    def forward(self, x):\n        for one in self.all: x = one(x)\n        return x"
        ),
        "sure",
    ),
    "layers appended": (
        (
            "        self.all = nn.ModuleList()\n"
            "        for _ in range(2): self.all.append(nn.TransformerEncoderLayer(4, 2))\n"
            "    def forward(self, x):\n        for one in self.all: x = one(x)\n        return x"
        ),
        "sure",
    ),
    "a reference that is kept and compared": (
        (
            "        self.ref = nn.MultiheadAttention(4, 2)\n        self.own = nn.Linear(4, 4)\n"
            "    def forward(self, x):\n        y = self.own(x)\n"
            "        assert torch.allclose(self.ref(x)[0], y)\n        return y"
        ),
        "no",
    ),
    "a method for tests": (
        (
            "        self.own = nn.Linear(4, 4)\n    def compare(self, x): return F.softmax(x) - self(x)\n"
            "    def forward(self, x): return self.own(x)"
        ),
        "no",
    ),
    "under one option": (
        (
            "        self.a, self.b = nn.MultiheadAttention(4, 2), nn.Linear(4, 4)\n"
            "    def forward(self, x):\n        return self.a(x) if x.fast else self.b(x)"
        ),
        "perhaps",
    ),
    "made in one branch": (
        (
            "        if fast: self.a = nn.MultiheadAttention(4, 2)\n        else: self.a = nn.Linear(4, 4)\n"
            "    def forward(self, x): return self.a(x)"
        ),
        "perhaps",
    ),
    "made in both": (
        (
            "        self.a = None\n        if fast: self.a = nn.MultiheadAttention(4, 2)\n"
            "        else: self.a = nn.TransformerEncoderLayer(4, 4)\n    def forward(self, x): return self.a(x)"
        ),
        "sure",
    ),
    "in one branch": (
        (
            "        self.a, self.b = nn.MultiheadAttention(4, 2), nn.Linear(4, 4)\n"
            "    def forward(self, x):\n        if x.fast: return self.a(x)\n        return self.b(x)"
        ),
        "perhaps",
    ),
}


@pytest.mark.parametrize(("body", "wanted"), IN_CLASSES.values(), ids=IN_CLASSES)
def test_attributes_and_methods_are_followed(body: str, wanted: str) -> None:
    assert seen(CLASS + body, "Part") == wanted


SMALL = {
    "a triangle": (
        "        self.own = nn.Linear(4, 4)\n    def forward(self, x):\n"
        "        mask = nn.Transformer.generate_square_subsequent_mask(len(x)) == 0\n        return self.own(x) * mask"
    ),
    "weights to begin with": (
        "        self.w = nn.Parameter(nn.MultiheadAttention(4, 2).in_proj_weight.clone())\n"
        "    def forward(self, x): return x @ self.w"
    ),
}


@pytest.mark.parametrize("body", SMALL.values(), ids=SMALL)
def test_small_things_taken_from_a_finished_module_are_not_its_work(body: str) -> None:
    assert seen(CLASS + body, "Part") == "no"


def test_a_class_that_is_made_from_a_forbidden_one_does_its_work() -> None:
    assert seen("class Part(nn.MultiheadAttention): pass", "Part") == "sure"
    calls = "class Part(nn.MultiheadAttention):\n    def forward(self, x): return super().forward(x, x, x)[0]"
    assert seen(calls, "Part") == "sure"
    reads = "class Part(nn.MultiheadAttention):\n    def forward(self, x): return self.out_proj(x)"
    assert seen(reads, "Part") == "perhaps"
    assert seen("Part = nn.MultiheadAttention", "Part") == "sure"
    inner = "class Inner(nn.MultiheadAttention): pass\n" + CLASS
    assert seen(inner + "        self.i = Inner(4, 2)\n    def forward(self, x): return self.i(x)", "Part") == "sure"


def test_the_work_of_what_is_judged_for_itself_is_not_the_block_s() -> None:
    own = (
        CLASS.replace("Part", "Own")
        + "        self.m = nn.MultiheadAttention(4, 2)\n    def forward(self, x): return self.m(x)\n"
    )
    block = CLASS + "        self.own = Own()\n    def forward(self, x): return self.own(x) + x\n"
    assert seen(own + block, "Part", "Own") == "no"
    assert seen(own + block, "Part") == "sure"
    assert seen(own + block, "Own", "Part") == "sure"


def test_the_line_of_the_call_is_told() -> None:
    code = TOP + "def softmax(x):\n    y = np.exp(x)\n    assert F.softmax(x) is y\n    return F.softmax(x)"
    found = origin([CodeModule("work", (CodeChunk(code, "work.py"),))], ["softmax"], NAMES)
    assert [(use.name, use.line) for use in found.uses] == [("torch.nn.functional.softmax", 8)]


@pytest.mark.parametrize(
    "code",
    [
        "def softmax(x):\n" + "  x = F.softmax(x)\n" * 1500 + "  return x",
        "def softmax(x):\n  if x: y = 1\n" + "  elif x: y = F.softmax(x)\n" * 900 + "  return y",
        "".join(f"def f{n}(x): return f{n + 1}(x)\n" for n in range(300)) + "def softmax(x): return f0(F.softmax(x))",
        "".join(f"def f{n}(x): return f{n + 1}(x)\n" for n in range(200))
        + "def f200(x): return F.softmax(x)\ndef softmax(x): return f0(x)",
        "def f0(x): return F.softmax(x)\n"
        + "".join(f"def f{n + 1}(x): return f{n}(x)\n" for n in range(200))
        + "def softmax(x): return f200(x)",
        "def softmax(x):\n"
        + "".join(" " * (n + 1) + f"for i{n} in x:\n" for n in range(60))
        + " " * 61
        + "y = F.softmax(x)\n return y",
        "".join(
            " " * (2 * n)
            + f"class {'A' * n or 'softmax'}:\n"
            + " " * (2 * n + 1)
            + f"def {name}(self): return self.{to}()\n"
            if name != "forward"
            else " " * (2 * n + 1) + "def forward(self, x=0):\n"
            for n in range(12)
            for name, to in (("a", "b"), ("forward", ""))
        )
        + " " * 24
        + "return F.softmax(x)\n"
        + "".join(" " * (2 * n) + f"return {'A' * n}()(x)\n" for n in range(11, 0, -1)),
    ],
)
def test_long_code_is_read_in_few_steps_and_never_passed_over(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = count()
    statement = flow._Reading._statement
    monkeypatch.setattr(flow._Reading, "_statement", lambda *args: (next(steps), statement(*args))[1])
    assert seen(code, "softmax") != "no"
    assert next(steps) < 12_000
