"""Names that cannot be read: what is folded, what waits for a person, and what is only pointed at."""

from __future__ import annotations

import pytest

from grader.model import CodeChunk, CodeModule
from grader.source import Origin, origin, texts_run

NAMES = ("torch.softmax", "torch.nn.functional.softmax", "torch.Tensor.softmax", "torch.nn.MultiheadAttention")
TOP = (
    "import base64, codecs, functools, marshal, operator, pickle\nimport torch\nfrom torch import nn\n"
    "import torch.nn.functional as F\nimport numpy as np\n"
)


def modules(code: str) -> list[CodeModule]:
    return [CodeModule("work", (CodeChunk(TOP + code, "work.py"),))]


def seen(code: str) -> Origin:
    return origin(modules(code), ["softmax"], NAMES, ("softmax",))


FOLDED = {
    "characters in a loop": "''.join(c for c in 'softmax')",
    "characters by their numbers": "''.join([chr(n) for n in [115, 111, 102, 116, 109, 97, 120]])",
    "characters mapped": "''.join(map(chr, [115, 111, 102, 116, 109, 97, 120]))",
    "base64": "base64.b64decode('c29mdG1heA==').decode()",
    "rot13": "codecs.decode('fbsgznk', 'rot13')",
    "digits": "bytes.fromhex('736f66746d6178').decode()",
    "its own name": "softmax.__name__",
}


@pytest.mark.parametrize("text", FOLDED.values(), ids=FOLDED)
def test_a_name_in_a_common_code_is_read(text: str) -> None:
    found = seen(f"def softmax(x): return getattr(torch, {text})(x)")
    assert found.sure
    assert found.guesses == ()


@pytest.mark.parametrize(
    "value", ["operator.getitem(vars(torch), 'softmax')(x)", "dict.get(vars(torch), 'softmax')(x)",
              "dict.__getitem__(torch.__dict__, 'softmax')(x)", "x.__getattribute__('softmax')(-1)"]
)  # fmt: skip
def test_a_look_up_by_a_text_is_read_in_every_form(value: str) -> None:
    assert seen(f"def softmax(x): return {value}").sure


GUESSED = {
    "a parameter": "def go(n, x): return getattr(torch, n)(x)\ndef softmax(x): return go('softmax', x)",
    "a method by a parameter": "def go(x, n): return getattr(x, n)(-1)\ndef softmax(x): return go(x, 'softmax')",
    "a default": "def softmax(x, n='softmax'): return getattr(x, n)(-1)",
    "a lambda": "g = lambda n: getattr(torch, n)\ndef softmax(x): return g('softmax')(x)",
    "a getattr of theirs": "def a(o, n): return getattr(o, n)\ndef softmax(x): return a(torch, 'softmax')(x)",
    "a path": "def a(o, p):\n    for n in p.split('.'): o = getattr(o, n)\n    return o\n"
    "def softmax(x): return a(torch, 'nn.functional.softmax')(x)",
    "a partial": "g = functools.partial(getattr, torch)\ndef softmax(x): return g('softmax')(x)",
    "a map": "def softmax(x): return list(map(getattr, [torch], ['softmax']))[0](x)",
    "a list of arguments": "def softmax(x): return getattr(*[torch, 'softmax'])(x)",
    "an attrgetter": "def softmax(x): return operator.attrgetter(*['nn.functional.softmax'])(torch)(x)",
    "a table": "def go(n): return vars(torch)[n]\ndef softmax(x): return go('softmax')(x)",
    "a pickle": "f = pickle.loads(b'ctorch\\nsoftmax\\n.')\ndef softmax(x): return f(x)",
    "a docstring": "def softmax(x):\n    'softmax'\n    return getattr(torch, softmax.__doc__)(x)",
    "the globals of a function": "def softmax(x): return F.relu.__globals__['softmax'](x)",
    "the classes below one": "def softmax(x):\n    found = nn.Module.__subclasses__()\n"
    "    return [c for c in found if c.__name__ == 'MultiheadAttention'][0](4, 2)(x)",
}


@pytest.mark.parametrize("code", GUESSED.values(), ids=GUESSED)
def test_a_look_up_that_cannot_be_read_beside_a_forbidden_word_waits_for_a_person(code: str) -> None:
    found = seen(code)
    assert (bool(found.guesses), found.uses, found.sure) == (True, (), False)


FREE = {
    "another library": "def go(n, x): return getattr(np, n)(x)\ndef softmax(x): return go('softmax', x)",
    "the word in a docstring": "def softmax(x, f='exp'):\n    'softmax'\n    return getattr(torch, f)(x)",
    "another word": "def go(n, x): return getattr(torch, n)(x)\ndef softmax(x): return go('exp', x)",
    "the word elsewhere": "def go(n): return getattr(torch, n)\nWORD = 'softmax'\ndef softmax(x): return go('exp')(x)",
    "the word in a sentence": "def softmax(x, f='exp'):\n    assert x, 'no softmax'\n    return getattr(torch, f)(x)",
    "a loop over words": "def softmax(x):\n    for n in ('exp', 'log'): x = getattr(torch, n)(x)\n"
    "    return x, 'softmax'",
    "of self": "class softmax(nn.Module):\n    def forward(self, x, n): return getattr(self, n)(x), 'softmax'",
    "a table of theirs": "T = {'softmax': np.exp}\ndef softmax(x, n='softmax'): return T[n](x)",
}


@pytest.mark.parametrize("code", FREE.values(), ids=FREE)
def test_a_look_up_without_a_forbidden_word_is_left_alone(code: str) -> None:
    assert seen(code) == Origin()


def test_what_cannot_be_read_at_all_is_pointed_at() -> None:
    unreadable = (
        "def softmax(x):\n"
        "    n = [n for n in dir(torch) if n.startswith('softm')][0]\n"
        "    f = getattr(torch, n)\n"
        "    g = pickle.loads(b'ctorch\\nsoftmax\\n.')\n"
        "    h = marshal.loads(b'')\n"
        "    return getattr(F, x.activation)(f(x))\n"
    )
    lines = TOP.count("\n")
    found = [(use.name, use.line - lines) for use in texts_run(modules(unreadable), ["softmax"])]
    assert found == [("getattr", 3), ("pickle.loads", 4), ("marshal.loads", 5)]


@pytest.mark.parametrize(
    "line", ["sys.modules['lib'] = torch", "sys.modules.update(lib=torch)", "sys.modules.setdefault('lib', torch)"]
)
def test_a_module_put_under_another_name_is_pointed_at(line: str) -> None:
    code = f"import sys\n{line}\nfrom lib import softmax as s\ndef softmax(x): return s(x)\n"
    assert [use.name for use in texts_run(modules(code), ["softmax"])] == ["sys.modules"]
    assert texts_run(modules("import sys\nsys.modules.get('lib')\nx = sys.modules['torch']"), ["softmax"]) == ()
