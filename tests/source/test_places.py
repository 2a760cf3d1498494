"""The line of a method or of an attribute is told where there is one, and no line where there are several."""

from __future__ import annotations

import pytest

from grader.model.outcome import Location
from grader.model.submission import CodeChunk, CodeModule
from grader.source import attribute_of_class, method_of_class

CODE = """import torch
from torch import nn

class Base(nn.Module):
    def forward(self, x):
        return x

class Attention(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.q, self.k = nn.Linear(d, d), nn.Linear(d, d)
        self.heads = [nn.Linear(d, d) for _ in range(h)]
        self.table: torch.Tensor = torch.zeros(d)
        self.register_buffer("pe", torch.zeros(d))
        self.twice = 1
        self.twice = 2

    def forward(self, x):
        return x

class Layer(Base):
    def __init__(self, d, h):
        super().__init__()
        self.attention = Attention(d, h)
        self.q = nn.Linear(d, d)
"""
WORK = (CodeModule("work", (CodeChunk(CODE, "work.py"),)),)


@pytest.mark.parametrize(
    ("name", "methods", "wanted"),
    [
        ("Attention", ("forward", "__call__"), ("forward", 18)),
        ("Attention", ("__init__",), ("__init__", 9)),
        ("Layer", ("forward", "__call__"), ("forward", 5)),  # of the class that it is made from
        ("Layer", ("__init__",), ("__init__", 22)),
        ("Missing", ("forward",), None),
        ("Base", ("__call__",), None),
    ],
)
def test_the_method_that_runs_is_found(name: str, methods: tuple[str, ...], wanted: tuple[str, int] | None) -> None:
    found = method_of_class(WORK, name, methods)
    assert (found and (found[0], found[1].line)) == wanted


def test_a_class_that_is_defined_twice_has_no_line() -> None:
    twice = (*WORK, CodeModule("other", (CodeChunk(CODE, "other.py"),)))
    assert method_of_class(twice, "Attention", ("forward",)) is None


def test_classes_that_are_made_from_each_other_come_to_an_end() -> None:
    circle = (CodeModule("w", (CodeChunk("class A(B): pass\nclass B(A): pass", "w.py"),)),)
    assert method_of_class(circle, "A", ("forward",)) is None


@pytest.mark.parametrize(
    ("name", "path", "line"),
    [
        ("Attention", "heads", 12),
        ("Attention", "heads[0].weight", 12),
        ("Attention", "table", 13),
        ("Attention", "pe", 14),
        ("Attention", "k.weight", 11),
        ("Attention", "q", 11),  # its own, although another class has one
        ("Layer", "q", 25),
        ("Layer", "attention.heads[1].weight", 12),
        ("Layer", "attention.table", 13),
        ("Layer", "attention.q.weight", None),  # two classes make a q
        ("Attention", "twice", None),
        ("Attention", "unknown", None),
        ("Attention", "", None),
    ],
)
def test_the_line_that_makes_an_attribute_is_found(name: str, path: str, line: int | None) -> None:
    found = attribute_of_class(WORK, name, path)
    assert (found and found.line) == line


def test_a_cell_of_a_notebook_is_told() -> None:
    cells = tuple(CodeChunk(code, f"work.ipynb[cell {n}]", n) for n, code in enumerate(("x = 1", CODE), 1))
    found = method_of_class((CodeModule("work", cells),), "Attention", ("forward",))
    assert found == ("forward", Location("work.ipynb", 18, 2))
