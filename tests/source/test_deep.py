"""What can be read of deeply nested code does not hang on how deep in the grader the reading begins."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TypeVar

import pytest

from grader import source
from grader.components.integrity_probes import literal_arrays
from grader.intake.syntax import KEPT, SyntaxFault, parse
from grader.model.submission import CodeChunk, CodeModule

T = TypeVar("T")
CALL = "import torch\ndef softmax(x):\n    torch.manual_seed(1)\n    return x\n"
PAD = f"PAD = '{'x' * KEPT}'\n"  # no tree of so long a text is kept
SHAPES: dict[str, Callable[[int], str]] = {
    "a sum": lambda n: "y = " + "+".join(["1"] * n),
    "attributes": lambda n: "y = x" + ".a" * n,
    "calls": lambda n: "y = x" + "()" * n,
    "signs": lambda n: "y = " + "-" * n + "1",
    "denials": lambda n: "y = " + "not " * n + "1",
    "lambdas": lambda n: "y = " + "lambda: " * n + "1",
    "conditions": lambda n: "y = " + "1 if 1 else " * n + "1",
    "branches": lambda n: "if 0: pass\n" + "elif 0: pass\n" * n,
}


def from_below(frames: int, ask: Callable[[], T]) -> T:
    return ask() if not frames else from_below(frames - 1, ask)


def deepest(shape: Callable[[int], str]) -> int:
    low, high = 10, 6000
    while low < high - 1:
        middle = (low + high) // 2
        low, high = (low, middle) if isinstance(parse(shape(middle)), SyntaxFault) else (middle, high)
    return low


SLOW = {"lambdas", "conditions", "branches"}


@pytest.mark.parametrize(
    "shape",
    [pytest.param(shape, id=name, marks=[pytest.mark.slow] if name in SLOW else []) for name, shape in SHAPES.items()],
)
def test_what_is_read_from_the_ground_is_read_from_a_deep_place_too(shape: Callable[[int], str]) -> None:
    code = CALL + PAD + shape(deepest(shape))
    assert isinstance(from_below(200, lambda: parse(code)), ast.Module)
    assert isinstance(from_below(200, lambda: parse(code + "+ ")), SyntaxFault)
    modules = (CodeModule("work", (CodeChunk(code, "work.py"),)),)
    found = from_below(200, lambda: source.global_seed_calls(modules, ["softmax"]))
    assert [use.name for use in found] == ["torch.manual_seed"]
    assert from_below(200, lambda: literal_arrays(modules)) == ()
    for ask in (source.patches_foreign_attributes, source.defines_equal_anything):
        assert from_below(200, lambda ask=ask: ask(modules)) == ()
