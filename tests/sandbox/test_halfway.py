"""A file that fails on its way goes on behind the failing statement, as a notebook does behind a failing cell."""

from __future__ import annotations

from dataclasses import replace

import pytest
from grader.sandbox.plain import Chunk, Module, Source

from questions import QUICK, call, source

SHORT = replace(QUICK, load_s=0.5)
DEFINED = (
    "import numpy as np\nSCALE = 1\ndef helper(): return 3\ndef f(): return helper()\ndef scaled(): return SCALE\n"
)
BREAKS = [
    "open('data.csv')", "np.loadtxt('data.csv')", "input('name? ')", "assert f() == 4, 'own test'", "raise SystemExit",
    "import sys; sys.exit(1)", "from os import nothing_of_this", "not_defined", "f(1, 2)", "if True:\n    x = 1 / 0",
    "for row in range(3):\n    print(row / 0)", "with open('data.csv') as file:\n    rows = file.read()",
    "def late(x=1 / 0): pass", "x = [1 / 0 for _ in range(2)]",
]  # fmt: skip


@pytest.mark.parametrize("line", BREAKS)
def test_what_stands_above_and_below_the_failing_statement_is_there(sandbox, line):
    asked = (call("f"), call("below"), call("late"))
    answers = sandbox.ask(source(f"{DEFINED}{line}\ndef below(): return 1\n"), asked, QUICK)
    assert answers.loaded.status == "value"
    assert answers.loaded.failure.frames[0] == ("hw.py", 6 + line.startswith(("if", "for")), "<module>")
    assert [reply.values for reply in answers.replies[:2]] == [(3,), (1,)]
    assert answers.replies[2].status == "error", "with the reason why it is not there"
    assert answers.replies[2].failure.type == answers.loaded.failure.type
    assert "late" not in {name for _, name, _ in answers.loaded.names}


@pytest.mark.parametrize("line", BREAKS)
def test_a_file_that_fails_at_its_top_loses_nothing_else(sandbox, line):
    top = '"""Mine."""\nfrom __future__ import annotations\n'
    code = f"{top}{line}\n{line}\n{DEFINED}def typed(x: Absent): return 2\n"
    answers = sandbox.ask(source(code), (call("f"), call("typed", 1)), QUICK)
    assert [reply.values for reply in answers.replies] == [(3,), (2,)]
    assert answers.loaded.failure.frames[0] == ("hw.py", 3 + line.startswith(("if", "for")), "<module>")


CHANGES = [
    "f = 4 + None", "class f(None): pass", "def f(x=1 / 0): pass", "from os import f", "helper.cached = 1 / 0",
    "SCALE = 1 / 0", "SCALE += None", "for SCALE in 3: pass", "import numpy.nothing as helper", "(f := 1 / 0)",
    "setattr(f, '__code__', 3)",
]  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_what_the_failing_statement_would_have_changed_is_not_judged_as_it_was_before(sandbox, change):
    answers = sandbox.ask(source(f"{DEFINED}{change}\ndef g(): return 1\n"), (call("f"),), QUICK)
    assert answers.loaded.status == "error"
    assert answers.replies[0].status == "error"


def test_a_training_loop_that_fails_changes_the_model_alone(sandbox):
    code = f"{DEFINED}class Model:\n    def forward(self): pass\n    __call__ = forward\nmodel = Model()\n"
    loop = "for batch in [1]:\n    model = model.to('cuda')\n    model.steps = batches\n"
    answers = sandbox.ask(source(f"{code}{loop}def g(): return 1\n"), (call("f"), call("g")), QUICK)
    assert answers.loaded.status == "value"
    assert [reply.values for reply in answers.replies] == [(3,), (1,)]


@pytest.mark.parametrize(
    "change", ["def f(): return 4", "f = lambda: 4", "def helper(): return 4", "from other import f"]
)
def test_what_the_rest_changes_is_changed(sandbox, change):
    work = source(f"{DEFINED}1 / 0\n{change}\n", ("other", "def f(): return 4\n"))
    assert sandbox.ask(work, (call("f"),), QUICK).replies[0].values == (4,)


@pytest.mark.parametrize("rest", ["def f(): return 4", "def g(): return 4"])
@pytest.mark.parametrize(
    "end",
    ["raise SystemExit", "import sys\nif f():\n    sys.exit()", "exit()", "raise KeyboardInterrupt",
     "raise GeneratorExit", "class Odd(BaseException): pass\nraise Odd"],
)  # fmt: skip
def test_behind_an_end_on_purpose_nothing_is_changed(sandbox, end, rest):
    answers = sandbox.ask(source(f"{DEFINED}{end}\n{rest}\n"), (call("f"), call("g")), QUICK)
    assert answers.replies[0].values == (3,)
    assert (answers.replies[1].status == "value") == ("g" in rest)


def test_a_parser_of_arguments_ends_nothing_on_purpose(sandbox):
    line = "import argparse\np = argparse.ArgumentParser()\np.add_argument('n')\nargs = p.parse_args()\n"
    assert sandbox.ask(source(f"{DEFINED}{line}def f(): return 4\n"), (call("f"),), QUICK).replies[0].values == (4,)


def test_later_failures_are_noted_where_they_would_have_bound_something(sandbox):
    code = f"{DEFINED}1 / 0\nassert False\ndef late(x=[][0]): pass\nx = open('data')\n"
    notes = sandbox.ask(source(code), (), QUICK).loaded.notes
    assert [note.split(":")[1].strip() for note in notes] == ["IndexError", "FileNotFoundError"]


@pytest.mark.parametrize("code", ["1 / 0\n", "x = 1\n1 / 0\nprint(x)\n", "def f(:\n", "def f(x=1 / 0): pass\n"])
def test_a_file_that_defines_nothing_does_not_load(sandbox, code):
    assert sandbox.ask(source(code), (), QUICK).loaded.status == "error"


def test_what_stands_below_an_endless_loop_is_judged(sandbox):
    answers = sandbox.ask(source(f"while True: pass\n{DEFINED}"), (call("f"),), SHORT)
    assert answers.replies[0].values == (3,)


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


@pytest.mark.parametrize(
    ("raising", "told"), [("assert False", "AssertionError"), ("1 / 0", "ZeroDivisionError: division by zero")]
)
def test_what_a_cell_raises_is_noted_with_what_it_says(sandbox, raising, told):
    cells = (
        Chunk(f"{raising}\n", "hw.ipynb[cell 1]", tolerate=True),
        Chunk(DEFINED, "hw.ipynb[cell 2]", tolerate=True),
    )
    answers = sandbox.ask(replace(source(""), modules=(Module("hw", cells),)), (call("f"),), QUICK)
    assert answers.loaded.notes == (f"hw.ipynb[cell 1]: {told}",)
    assert answers.replies[0].values == (3,)


def test_an_attribute_is_no_name_of_the_file(sandbox):
    code = "class Row:\n    def first(self): return self.cells[0]\ncells = [[1]]\ndef f(): return 3\n1 / 0\n"
    answers = sandbox.ask(source(f"{code}for cells in 1 / 0:\n    pass\n"), (call("f"),), QUICK)
    assert answers.replies[0].values == (3,)


def test_a_package_whose_own_file_fails_holds_what_lies_in_it(sandbox):
    package = source("from work import parts\n", ("work", "raise KeyError\n"), ("work.parts", "def f(): return 3\n"))
    answers = sandbox.ask(package, (call("f"),), QUICK)
    assert answers.replies[0].values == (3,)


def test_a_function_may_be_called_as_the_folder_that_holds_it(sandbox):
    inner = Module("model.attention.single", (Chunk("def attention(): return 3\n", "model/attention/single.py"),))
    folder = Module("model", (Chunk("", "model/__init__.py"),))
    answers = sandbox.ask(Source((folder, inner)), (call("attention"),), QUICK)
    assert answers.replies[0].values == (3,)


def test_the_own_file_of_the_folder_that_is_handed_in_may_fail_too(sandbox):
    own = Module("work", (Chunk("raise KeyError\n", "work/__init__.py"),))
    parts = Module("parts", (Chunk("def f(): return 3\n", "work/parts/one.py"),))
    answers = sandbox.ask(Source((own, parts)), (call("f"),), QUICK)
    assert answers.loaded.status == "value"
    assert answers.replies[0].values == (3,)
