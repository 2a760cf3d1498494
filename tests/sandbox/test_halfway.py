"""A file that breaks off keeps what it has defined by then, unless the rest would have changed it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from questions import QUICK, call, source

SHORT = replace(QUICK, load_wall=0.5)
DEFINED = (
    "import numpy as np\nSCALE = 1\ndef helper(): return 3\ndef f(): return helper()\ndef scaled(): return SCALE\n"
)
BREAKS = [
    "open('data.csv')",
    "np.loadtxt('data.csv')",
    "input('name? ')",
    "assert f() == 4, 'own test'",
    "raise SystemExit",
    "import sys; sys.exit(1)",
    "from os import nothing_of_this",
    "not_defined",
    "f(1, 2)",
    "if True:\n    x = 1 / 0",
    "for row in range(3):\n    print(row / 0)",
    "with open('data.csv') as file:\n    rows = file.read()",
    "def late(x=1 / 0): pass",
    "x = [1 / 0 for _ in range(2)]",
]


@pytest.mark.parametrize("line", BREAKS)
def test_what_stands_above_the_failing_line_is_there_and_what_stands_below_is_not(sandbox, line):
    answers = sandbox.ask(source(f"{DEFINED}{line}\ndef below(): return 1\n"), (call("f"), call("below")), QUICK)
    assert answers.loaded.status == "value"
    assert answers.loaded.failure.frames[0] == ("hw.py", 6 + line.startswith(("if", "for")), "<module>")
    assert answers.replies[0].values == (3,)
    assert answers.replies[1].status == "error", "with the reason why it is not there"
    assert answers.replies[1].failure.type == answers.loaded.failure.type
    assert "below" not in {name for _, name, _ in answers.loaded.names}


CHANGES = [
    "def f(): return 4",
    "class f: pass",
    "f = lambda: 4",
    "if True:\n    def f(): return 4",
    "try:\n    from other import f\nexcept ImportError: pass",
    "def helper(): return 4",
    "helper = np.sum",
    "helper.cached = 1",
    "setattr(f, '__wrapped__', helper)",
    "SCALE = 2",
    "SCALE += 1",
    "for SCALE in range(3): pass",
    "del helper",
    "import math as helper",
    "(f := helper)",
]


@pytest.mark.parametrize("change", CHANGES)
def test_what_the_rest_would_have_changed_is_not_judged_as_it_was_before(sandbox, change):
    answers = sandbox.ask(source(f"{DEFINED}1 / 0\n{change}\n"), (call("f"),), QUICK)
    assert (answers.loaded.status, answers.loaded.failure.type) == ("error", "ZeroDivisionError")
    assert answers.replies[0].status == "error"


@pytest.mark.parametrize("rest", ["x = np.ones(3)", "print(f())", "def g(): return f()", "y = [f for f in range(3)]"])
def test_a_rest_that_changes_nothing_costs_nothing(sandbox, rest):
    code = f"{DEFINED}x = 1\n1 / 0\n{rest}\n"
    if rest.startswith("y ="):  # a name inside a comprehension is its own, and not worth telling apart
        assert sandbox.ask(source(code), (), QUICK).loaded.status == "error"
    else:
        assert sandbox.ask(source(code), (call("f"),), QUICK).replies[0].values == (3,)


@pytest.mark.parametrize(
    "code", ["1 / 0\ndef f(): return 1\n", "x = 1\n1 / 0\n", "def f(:\n", "def f(x=1 / 0): pass\n"]
)
def test_a_file_that_defines_nothing_before_it_breaks_off_does_not_load(sandbox, code):
    assert sandbox.ask(source(code), (), QUICK).loaded.status == "error"


@pytest.mark.parametrize(
    ("end", "kind"),
    [
        ("x = bytearray(100 << 30)", "MemoryError"),
        ("def g(): return g()\ng()", "RecursionError"),
        ("while True: pass", "Stopped"),
    ],
)
def test_what_stands_above_an_end_of_memory_stack_or_time_is_kept(sandbox, end, kind):
    answers = sandbox.ask(source(f"{DEFINED}{end}\n"), (call("f"),), SHORT)
    assert (answers.loaded.status, answers.loaded.failure.type) == ("value", kind)
    assert answers.replies[0].values == (3,)


def test_out_of_memory_or_time_with_nothing_above_it_is_told_as_that(sandbox):
    assert sandbox.ask(source("x = bytearray(100 << 30)\n"), (), QUICK).loaded.status == "memory"
    assert sandbox.ask(source("while True: pass\n"), (), SHORT).loaded.status == "timeout"


def test_a_helper_file_that_breaks_off_serves_the_file_that_imports_it(sandbox):
    work = source("from parts import part\ndef f(): return part() + 1\n", ("parts", "def part(): return 1\n1 / 0\n"))
    answers = sandbox.ask(work, (call("f"),), QUICK)
    assert answers.replies[0].values == (2,)
    assert answers.loaded.failure.frames == (("parts.py", 2, "<module>"),)
