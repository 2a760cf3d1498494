"""Modules, cells and lines of a source run as Python runs them, and what breaks off is told."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from grader.sandbox.plain import Chunk, Module, Source

from questions import QUICK, call, source


@pytest.mark.parametrize(
    ("code", "status", "kind"),
    [
        ("import sys; sys.exit(0)", "error", "SystemExit"),
        ("import os; os._exit(0)", "crashed", "Exit"),
        ("def f(:\n", "error", "SyntaxError"),
        ("1/0", "error", "ZeroDivisionError"),
        ("x = bytearray(100 << 30)", "memory", "MemoryError"),
        ("import reference", "error", "ModuleNotFoundError"),
        ("from grader import components", "error", "ModuleNotFoundError"),
    ],
)
def test_a_module_that_does_not_load_says_why(sandbox, code, status, kind):
    answers = sandbox.ask(source(code), (call("f"),), QUICK)
    assert (answers.loaded.status, answers.loaded.failure.type) == (status, kind)
    assert answers.replies[0].status == status


def test_a_syntax_error_names_its_line(sandbox):
    failure = sandbox.ask(source("x = 1\ny = = 2\n"), (), QUICK).loaded.failure
    assert failure.frames == (("hw.py", 2, "<module>"),)


def test_several_modules_import_each_other_and_run_once(sandbox):
    code = "print('hw')\nfrom layers import double\nimport pack.deep\ndef f(x): return double(x) + pack.deep.ONE\n"
    others = (
        ("layers", "print('layers')\nimport hw\ndef double(x): return 2 * x\n"),
        ("pack.deep", "from layers import double\nONE = 1\n"),
    )
    answers = sandbox.ask(source(code, *others), (call("f", 3), call("double", 4)), QUICK)
    assert [reply.values for reply in answers.replies] == [(7,), (8,)]
    assert answers.loaded.output == "hw\nlayers\n"
    assert ("layers", "double", "function") in answers.loaded.names
    assert ("pack.deep", "ONE", "value") in answers.loaded.names


def test_a_broken_second_module_is_noted_and_blamed_only_for_what_is_missing(sandbox):
    answers = sandbox.ask(
        source("def f(): return 1\n", ("train", "import numpy\n1/0\n")), (call("f"), call("g")), QUICK
    )
    assert answers.loaded.status == "value"
    assert any("ZeroDivisionError" in note for note in answers.loaded.notes)
    assert [reply.status for reply in answers.replies] == ["value", "error"]
    assert answers.replies[1].failure.type == "ZeroDivisionError"


def test_a_module_with_the_name_of_a_library_does_not_take_its_place(sandbox):
    answers = sandbox.ask(
        source(
            "import numpy, random\ndef f(): return float(numpy.exp(0)), random.random() < 2\n",
            ("numpy", "exp = 1"),
            ("random", ""),
        ),
        (call("f"),),
        QUICK,
    )
    assert answers.replies[0].values == ((1.0, True),)
    assert any("numpy.py is not run" in note for note in answers.loaded.notes)


@pytest.mark.parametrize("says", ["raise SystemExit(0)", "raise RuntimeError", "return type", "1 / 0", "return None"])
def test_a_value_is_named_by_its_own_type_whatever_it_says_of_its_class(sandbox, says):
    code = f"""
class Odd:
    @property
    def __class__(self):
        {says}
odd = Odd()
class Called(Odd):
    def __call__(self): return 2
called = Called()
def f(): return 1
"""
    answers = sandbox.ask(source(code), (call("f"), call("called")), QUICK)
    assert answers.loaded.names == (
        ("hw", "Odd", "class"),
        ("hw", "odd", "value"),
        ("hw", "Called", "class"),
        ("hw", "called", "function"),
        ("hw", "f", "function"),
    )
    assert [reply.values for reply in answers.replies] == [(1,), (2,)]


def test_a_main_block_does_not_run(ask):
    assert ask("if __name__ == '__main__':\n    1/0\ndef f(): return 1\n").values == (1,)


def notebook(*cells: str) -> Source:
    chunks = tuple(Chunk(code, f"work.ipynb[cell {at}]", tolerate=True) for at, code in enumerate(cells, 1))
    return Source((Module("work", chunks),))


def test_cells_that_fail_are_noted_and_the_next_ones_run(sandbox):
    cells = notebook("import os", "open('data.csv')", "raise SystemExit", "x = = 1", "def f(): return os.sep")
    answers = sandbox.ask(cells, (call("f"),), QUICK)
    assert answers.loaded.status == "value"
    assert [note.split(":")[0] for note in answers.loaded.notes] == [f"work.ipynb[cell {n}]" for n in (2, 3, 4)]
    assert answers.replies[0].values == ("/",)


def test_a_cell_that_trains_for_ever_is_stopped_and_the_next_ones_run(sandbox):
    cells = notebook("while True:\n    try:\n        pass\n    except Exception: pass", "def f(): return 1")
    answers = sandbox.ask(cells, (call("f"),), replace(QUICK, load_s=1.0))
    assert answers.replies[0].values == (1,)
    assert "had not ended after" in answers.loaded.notes[0]


@pytest.mark.parametrize(
    ("cells", "value", "failed"),
    [
        (("def f():\n    return B.x", "class B(A): x = m.pi", "class A: pass\nm = math", "import math"), math.pi, ()),
        (("x = 1\nx = y", "def f(): return x", "y = 2"), 2, ()),  # what it began is its own
        (("def f(): return 1\nplot", "def f(): return 2", "plot = 0"), 2, ()),  # what stands below it stands
        (("x = y\nz", "y = 1", "def f(): return x"), 1, (1,)),
        (("a = b", "b = a", "def f(): return 3"), 3, (1, 2)),  # neither has what the other lacks
        (("a = b\n1/0", "b = 4", "def f(): return a"), 4, (1,)),
        (("t = []", "t.append(0)\nno", "def f(): return len(t)"), 1, (2,)),  # what nothing defines is not tried again
        (("a = b\nb", "a = 5\nc", "def f(): return a", "b = c = 6"), 5, ()),  # of two run again the lower one stands
    ],
)
def test_cells_that_lack_a_name_are_run_again_behind_the_others(sandbox, cells, value, failed):
    answers = sandbox.ask(notebook(*cells), (call("f"),), QUICK)
    assert answers.replies[0].values == (value,)
    notes = [note for note in answers.loaded.notes if not note.endswith("run again behind the other cells, and ran")]
    assert [note.partition(":")[0] for note in notes] == [f"work.ipynb[cell {n}]" for n in failed]


def test_what_stands_behind_the_cells_is_bound_behind_them(sandbox):
    (module,) = notebook("x = y", "def f(): return g(x)\ndef g(x): return -x", "y = 2").modules
    behind = replace(module, chunks=(*module.chunks, Chunk("def g(x): return x", "given.py")))
    assert sandbox.ask(Source((behind,)), (call("f"),), QUICK).replies[0].values == (2,)


def test_a_failure_in_a_cell_names_the_cell(sandbox):
    reply = sandbox.ask(notebook("a = 1", "def f():\n    return 1 / 0"), (call("f"),), QUICK).replies[0]
    assert reply.failure.frames == (("work.ipynb[cell 2]", 2, "f"),)


def test_source_of_a_student_function_is_found_by_inspect(ask):
    assert ask("import inspect\ndef f():\n    return inspect.getsource(f)\n").values == (
        "def f():\n    return inspect.getsource(f)\n",
    )


@pytest.mark.parametrize("odd", ["\x0c", "\x1c", "\x85", "\u2028", "\u2029"])
def test_lines_are_counted_as_python_counts_them(ask, odd):
    code = f"# a page{odd}break\nimport inspect\ndef f():\n    return inspect.getsource(f)\n"
    assert ask(code).values[0] == "def f():\n    return inspect.getsource(f)\n"
