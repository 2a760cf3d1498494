"""What students begin with: comments and names stay, answers go; with marks only what stands between them goes."""

from __future__ import annotations

import ast
import json

import pytest

from grader.intake.notebook import read
from grader.learning.notebook import own_notebook
from grader.learning.starter import starter, whole
from grader.model.submission import CodeChunk, CodeModule, Submission

HIDDEN = "secret"
"""Stands in every piece of these solutions that no student may see."""

HEADED = '''"""Homework 3."""
# Only numpy is allowed.
import numpy as np

WIDTH = 8  # columns

# -------- part 1 --------

def one(
    x,  # (n, d)
    y=None,
):
    """The first."""
    # secret comment
    secret = x
    if x: return secret
    return secret


# right above what goes: secret
secret = one(3)


@decorator
class Two(Base):
    """The second."""

    rate: float = 0.1
    size: int
    table = secret(3)

    # ---- how it is called
    def __init__(self, size):
        super().__init__(
            size,
        )
        self.secret = size
        # a remark at the end: secret

    def call(self, x): return self.secret

    @staticmethod
    def last(x):
        @secret
        def inner(): ...
        return inner, x


if __name__ == "__main__":
    print(secret)
'''
MARKED = '''import numpy as np


def given(x):
    # a helper that everybody has
    return x + 1


def asked(x):
    """Yours."""
    y = given(x)
    ### BEGIN SOLUTION
    secret = y
    y = secret
    ### END SOLUTION
    return y


# begin solution
secret = asked(3)
# end solution

if __name__ == "__main__":
    print(asked(1))
'''
ODD = {
    "one line": "def f(x): return secret(x)\n",
    "semicolons": "import math; secret = f(2)\n\n\ndef f(x):\n    return secret(x)\n",
    "class in a line": "class A: secret = f(1)\n",
    "nothing stays in a class": "class A:\n    # secret\n    secret = f(1)\n\n\nprint(A)\n",
    "nested classes": "class A:\n    class B:\n        def f(self):\n            return secret\n",
    "tabs": "class A:\n\tdef f(self):\n\t\treturn secret\n",
    "letters of two bytes": "Größe = 3\n\n\ndef f(ä): return ä * secret\n",
    "docstring in a line": 'def f(x): """secret"""\n',
    "docstring alone": 'def f(x):\n    """Nothing yet."""\n',
    "end without a break": "def f(x):\n    return secret",
    "comment behind it": "def f(x):\n    return secret\n    # secret\n\n# after\nsecret = f(1)\n",
}


def text_of(*codes: str) -> str:
    chunks = tuple(CodeChunk(code, "work.py") for code in codes)
    (text,) = starter(Submission("x", "work.py", (CodeModule("work", chunks),)), "hw").values()
    return text


def shape_of(code: str) -> list[str]:
    """Names and arguments of all that is defined outside functions."""

    def inside(body: list[ast.stmt], owner: str) -> list[str]:
        found = []
        for one in body:
            if isinstance(one, ast.FunctionDef):
                found.append(f"{owner}{one.name}({ast.unparse(one.args)})")
            elif isinstance(one, ast.ClassDef):
                found += [f"{owner}{one.name}", *inside(one.body, f"{owner}{one.name}.")]
        return found

    return inside(ast.parse(code).body, "")


@pytest.mark.parametrize("code", [HEADED, *ODD.values()], ids=["headed", *ODD])
def test_names_and_arguments_stay_and_no_answer_does(code: str) -> None:
    text = text_of(code)
    assert shape_of(text) == shape_of(code)
    assert HIDDEN not in text


def test_comments_around_definitions_stay() -> None:
    text = text_of(HEADED)
    for kept in (
        '"""Homework 3."""',
        "# Only numpy",
        "# columns",
        "# -------- part 1",
        "# ---- how",
        "# (n, d)",
    ):
        assert kept in text
    assert "        super().__init__(\n            size,\n        )\n        raise NotImplementedError" in text


def test_with_marks_only_what_is_between_them_goes() -> None:
    text = text_of(MARKED)
    assert HIDDEN not in text
    assert "# a helper that everybody has\n    return x + 1" in text
    assert "    y = given(x)\n    raise NotImplementedError('asked is yours to write')\n    return y" in text
    assert "# This is yours to write." in text
    assert "print(asked(1))" in text


@pytest.mark.parametrize("lost", ["### END SOLUTION", "    y = given(x)\n"])
def test_marks_that_leave_no_python_empty_every_body(lost: str) -> None:
    broken = MARKED.replace(lost, "    for y in x:\n" if "given" in lost else "", 1).replace("    return y", "")
    assert HIDDEN not in text_of(broken)


def test_cells_are_emptied_one_by_one() -> None:
    text = text_of("# # Part one\nimport math", "def f(x):\n    return secret", "print(f(1))")
    assert shape_of(text) == ["f(x)"]
    assert "import math" in text
    assert HIDDEN not in text


def test_what_calls_itself_a_solution_does_not_say_so_to_students() -> None:
    code = (
        '"""Homework 3: reference solution, do not distribute."""\n'
        "# Solution of spring\n# Only numpy.\n\ndef f(x):\n"
        '    """A solution of x = f(x)."""\n    return x\n'
    )
    (text,) = starter(Submission("s", (), (CodeModule("hw", (CodeChunk(code, "hw.py"),)),)), "mine").values()
    assert "distribute" not in text
    assert "spring" not in text
    assert text.startswith("# Only numpy.")
    assert "A solution of x" in text


def test_a_teachers_notebook_keeps_its_text_and_is_checked_where_something_is_asked() -> None:
    answer = {"nbgrader": {"solution": True}}
    told = [("markdown", "# Lab", {}), ("code", "%matplotlib inline\nimport numpy as np", {}),
            ("markdown", "## One\nText.", {}),
            ("code", "def one(x):\n    return x", {}), ("code", "draw = np.random.normal\nx = draw(size=3)", {}),
            ("code", "# Try it.\nassert one(x).shape == (3,)\nprint(one(x))", {}), ("markdown", "It is 3.", answer),
            ("code", "loss = 1\nfor step in range(9):\n    loss = loss / 2", {}),
            ("code", "one(0)\n### BEGIN HIDDEN TESTS\none(9)\n### END HIDDEN TESTS\n", {}),
            ("code", "def helper(x):\n    return x\nprint(helper(1))", {})]  # fmt: skip
    listed = [{"cell_type": kind, "source": text, "metadata": metadata} for kind, text, metadata in told]
    data = json.dumps({"cells": listed, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()
    book = read("lab.ipynb", data)
    module = CodeModule("lab", book.chunks)
    made = json.loads(own_notebook(Submission("s", "lab.ipynb", (module,), (book.document,)), ["one"]))
    shown = ["".join(cell["source"]) for cell in made["cells"]]
    assert [text.partition("\n")[0] for text in shown if "hand-out" not in text and "load_ext" not in text] == [
        "# Lab", "%matplotlib inline", "## One", "%%grade", "draw = np.random.normal", "# Try it.", "loss = 1",
        "def helper(x):",
    ]  # fmt: skip
    assert "It is 3." not in "".join(shown)
    assert "return x" not in "".join(shown)
    assert "assert one(x).shape == (3,)\nprint(one(x))" in "".join(shown)
    assert not [text for text in shown if "range(9)" in text or "one(9)" in text]


@pytest.mark.parametrize("marked", [True, False])
def test_hidden_tests_reach_no_student(marked: bool) -> None:
    body = "    ### BEGIN SOLUTION\n    return x\n    ### END SOLUTION\n" if marked else "    return x\n"
    tests = "assert f(1) == 1\n### BEGIN HIDDEN TESTS\nassert f('secret') == 'secret'\n### END HIDDEN TESTS\n"
    code = f"def f(x):\n{body}\n\n{tests}"
    (text,) = starter(Submission("s", "hw.py", (CodeModule("hw", (CodeChunk(code, "hw.py"),)),)), "mine").values()
    assert HIDDEN not in text
    assert "HIDDEN TESTS" not in text
    assert ("assert f(1)" in text) is marked


def test_what_is_asked_for_and_given_away_is_told() -> None:
    written = "    def f(self):\n        raise NotImplementedError('f is yours to write')\n"
    text = f"class Done:\n    x = 1\nclass Open:\n{written}"
    assert whole(text, ["Done", "Open", "Other"]) == ["Done"]
