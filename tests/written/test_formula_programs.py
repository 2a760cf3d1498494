"""Formulas that are programs are run on arrays of ours: what they may not do, what they cost, how sure it is."""

import tracemalloc
import warnings
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest

from grader.written.formula.dialects import as_program
from grader.written.formula.judge import examine, judge_formula
from grader.written.formula.trials import runs_right
from grader.written.formula.work import MOST_WORK, Work
from tests.growth import calls

MOST_CALLS = 100 * MOST_WORK
"""Of functions, ours and the libraries', for one program: what takes the most makes half as many."""

_RIGHT = "scores = Q @ K.T / np.sqrt(d_k)\nscores = np.where(scores > -1e9, scores, -1e9)\nout = softmax(scores) @ V"


def test_a_right_program_is_run() -> None:
    assert runs_right("attention", _RIGHT, Work())
    assert examine("attention", _RIGHT).verdict == "equal"


@pytest.mark.parametrize(
    "beside",
    [
        "softmax(Q @ K.T) @ V\n{}",  # another value, of which nobody knows what it is for
        "other = softmax(Q @ K.T) @ V\n{}",  # the like, with a name
        "def other(Q, K, V):\n    return softmax(Q @ K.T) @ V\n{}",
        "{}\nThe softmax runs over the keys.",  # not a line of a program
        "import os\nos.system('true')\n{}",
        "{}\nopen('file')",
        "{}\nout.__class__",
        "while True:\n    pass\n{}",
    ],
)
def test_a_program_with_something_else_beside_it_is_not_taken_as_one(beside: str) -> None:
    assert not runs_right("attention", beside.format(_RIGHT), Work())


def test_what_a_note_says_against_a_right_program_sends_it_to_a_person() -> None:
    assert examine("attention", f"{_RIGHT}  # the softmax runs over the columns").verdict == "review"


@pytest.mark.parametrize(
    "source",
    [
        "for i in range(10**9):\n    x = x + 1",
        "x = 10 ** 10 ** 10 ** 10",
        "x = 999999999\n" + "x = x * x\n" * 60,
        "x = np.zeros((10**6, 10**6))",
        "x = np.outer(np.arange(10**5), np.arange(10**5))",
        "x = np.zeros((100000, 1)) @ np.zeros((1, 100000))",
        "x = np.zeros((100000, 1)) + np.zeros((1, 100000))",
        "x = np.where(np.zeros((100000, 1)) > 0, np.zeros((1, 100000)), 0)",
        "x = attention(np.zeros((100000, 1)), np.zeros((100000, 1)), np.zeros((100000, 1)))",
        "z = np.zeros(100000)\nx = np.concatenate([z for i in range(5000)])",
        "z = np.zeros(100000)\nx = np.array([z for i in range(5000)])",
        "z = np.zeros((2, 50000))\ni = 0 * np.arange(100000)\nx = z[i]",
        "x = np.einsum('ab,cd,ef,gh->abcdefgh', x, x, x, x)\nx = np.einsum('abcdefgh,ijklmnop->ap', x, x)",
        "def f(x):\n    return f(f(x))\nf(1)",
        "f = lambda g: g(g)\nf(f)",
        "z = np.zeros((447, 447))\n" + "z = z @ z\n" * 200,
        "z = np.arange(200000)\n" + "z = np.exp(np.sin(z))\n" * 100,
        "for i in range(200):\n    for j in range(200):\n        for k in range(200):\n            x = x + 1",
        "(" * 1200 + "x" + ")" * 1200,
        "-" * 2400 + "x",
        "x" + ".T" * 1200,
        "=A1" + "+A1" * 800,
        "x = " + "[" * 900,
    ],
)
@pytest.mark.parametrize("kind", ["attention", "noam", "pe_sin"])
def test_a_hostile_program_is_cheap_and_goes_to_a_person(kind: str, source: str) -> None:
    assert calls(lambda: runs_right(kind, source, Work())) < MOST_CALLS
    assert not runs_right(kind, source, Work())
    assert judge_formula(kind, source).verdict != "equal"


@pytest.mark.parametrize(
    "source",
    [
        r"\mathrm{softmax}\left(\frac{QK^T}{\sqrt{d_k}}\right)V",
        "The scores are divided by the root of d_k.",
        "softmax(QKᵀ/√d_k)V, where d_k is the width",
        "",
        "'",
    ],
)
def test_prose_and_mathematics_are_no_programs(source: str) -> None:
    assert as_program(source) is None
    assert not runs_right("attention", source, Work())


@pytest.mark.parametrize(
    ("kind", "source"),
    [
        ("pe_sin", "pe[:, 0] = np.sin(np.arange(n))"),  # the first column alone
        ("pe_sin", "sin(pos / 10000^(i/d_model))  % i // 2 is the pair"),
        ("pe_cos", "pe[:, 1::2] = np.cos(pos[:, None] / 10000 ** (2 * np.arange(0, d_model, 2) / d_model))"),
        ("noam", "step = 100\nwarmup = 4000\nd_model ** -0.5 * step * warmup ** -1.5"),
        ("noam", "steps = np.arange(4000, 9000)\nlr = 512 ** -0.5 * steps ** -0.5"),
        ("noam", "warmup = 2 * warmup\nd_model ** -0.5 * min(step ** -0.5, step * warmup ** -1.5)"),
        ("add_norm", "x = ln1(x + ffn(x))\nx = ln2(x + self_attn(x, x, x))"),
        ("ffn", "out = np.maximum(0, x @ W1 + b1) @ W2 + b2\nout = out + x"),
    ],
)
def test_a_program_that_shows_too_little_or_something_else_is_not_accepted(kind: str, source: str) -> None:
    assert not runs_right(kind, source, Work())
    assert examine(kind, source).verdict != "equal"


_WIDE, _TALL = "np.zeros((1, 150000))", "np.zeros((150000, 1))"


GROWING = [
    "x = []\nx.append(x)\nx.append(x)\nx + 1",  # lists that hold themselves
    "warmup = []\nwarmup.append(warmup)\nwarmup.append(warmup)\nstep = 1",
    "x = [1, 1]\n" + "x = [x, x]\n" * 60 + "np.exp(x)",
    "x = [1, 1]\n" + "x = [x, x]\n" * 60 + "x.shape",
    "x = zip([1, 2], [3, 4])\n" + "x = zip(*x, *x)\nx = zip(*x)\n" * 60 + "x",
    f"{_WIDE} == {_TALL}",  # arrays spread over each other
    f"{_TALL} @ {_WIDE}",
    "np.zeros((150000, 1, 1, 1)) @ np.zeros((1, 150000, 1, 1))",
    "a = np.arange(150000)\nb = np.array([1])\nnp.einsum('a,b,a,b->ab', a, a, b, b)",
    "c = np.zeros((2, 2))\nc[np.zeros((150000, 1)), np.zeros((1, 150000))] = 1\nc",
    "a = np.zeros((5000)) + 190000\nmap(range, a)",  # many arrays, each of which may be
    "a = np.zeros((5000)) + 190000\nlapply(a, range)",
    "[range(190000) for i in range(9000)]",
    "[np.reshape(np.zeros((400, 400)).T, (160000,)) for i in range(9000)]",
    "a = np.zeros((400, 1))\nb = np.zeros((1, 400))\n[a + b for i in range(9000)]",
    "for i in range(9000):\n    y = list(range(190000))\ny",
    "a = range(190000)\ndef f(x):\n    for k in a:\n        return k\n[f(i) for i in range(9000)]",
]
KINDS = ("attention", "noam", "pe_sin")


@pytest.mark.parametrize("program", GROWING)
@pytest.mark.parametrize("kind", KINDS)
def test_programs_that_grow_come_to_an_end(kind: str, program: str) -> None:
    assert calls(lambda: runs_right(kind, program, Work())) < MOST_CALLS
    assert not runs_right(kind, program, Work())


def kinds_and_programs() -> Iterator[Any]:
    """Tracing costs ten times what the programs do: each is traced in haste where its names have a meaning."""
    for kind, program in product(KINDS, GROWING):
        at_once = kind == ("noam" if "warmup" in program else "attention")
        yield pytest.param(kind, program, marks=() if at_once else pytest.mark.slow)


@pytest.mark.parametrize(("kind", "program"), list(kinds_and_programs()))
def test_programs_that_grow_take_little_memory(kind: str, program: str) -> None:
    tracemalloc.start()
    try:
        assert not runs_right(kind, program, Work())
        assert tracemalloc.get_traced_memory()[1] < 3e8
    finally:
        tracemalloc.stop()


_ONE_HEAD = "concat([softmax(Q @ WQ[i] @ (K @ WK[i]).T) @ (V @ WV[i]) for i in range(h)]) @ WO"


@pytest.mark.parametrize(
    "size", ["d_k = 1", "h = 14", "h = 16\nd_model = 8", "h = 8\nd_model = 8", "d_model = 1", "n = 1"]
)
@pytest.mark.parametrize(
    ("kind", "wrong"),
    [
        ("attention", "softmax(Q @ K.T) @ V"),
        ("attention", "softmax(Q @ K.T / d_k) @ V"),
        ("multi_head", _ONE_HEAD),
        ("multi_head", "Q + K[0]"),
        ("add_norm", "layer_norm(x)"),
        ("noam", "min(step ** -0.5, step * warmup ** -1.5)"),
        ("pe_sin", "np.sin(pos / 1000 ** (2 * i / d_model))"),
    ],
)
def test_a_size_at_which_all_is_the_same_proves_nothing(kind: str, size: str, wrong: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not runs_right(kind, f"{size}\n{wrong}", Work())


@pytest.mark.parametrize(
    "size", ["d_model = 1", "d_model = 2", "n = 1", "n = 2", "t = 2", "warmup = 1", "h = 16", "d_ff = 1"]
)
@pytest.mark.parametrize("kind", ["attention", "multi_head", "ffn", "add_norm", "noam", "pe_sin", "pe_cos"])
def test_small_sizes_break_nothing(kind: str, size: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not runs_right(kind, f"{size}\nx = 1", Work())


@pytest.mark.parametrize(
    ("kind", "right"),
    [
        ("attention", "d_k = 4\nsoftmax(Q @ K.T / np.sqrt(d_k)) @ V"),
        ("attention", "d_k = 4\nsoftmax(Q @ K.T / 2) @ V"),
        ("pe_sin", "d_model = 4\nnp.sin(pos / 10000 ** (2 * i / d_model))"),
        ("pe_sin", "n = 2\nnp.sin(pos / 10000 ** (2 * i / d_model))"),
        ("multi_head", "h = 1\nconcat([attention(Q @ WQ[i], K @ WK[i], V @ WV[i]) for i in range(h)]) @ WO"),
        ("add_norm", "d_model = 4\nlayer_norm(x + sublayer(x))"),
    ],
)
def test_small_sizes_that_tell_apart_are_taken(kind: str, right: str) -> None:
    assert runs_right(kind, right, Work())
