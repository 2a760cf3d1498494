"""Functions on torch that build modules of float32 inside are learned, told and called in that precision alone."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from grader import components
from grader.catalog.interfaces import complaints
from grader.learning.definitions import definitions
from grader.learning.draft import parts_of
from grader.learning.lesson import Learned
from grader.model.assignment import Interface
from grader.model.report import Report
from grader.model.submission import CodeChunk, CodeModule

BUILT = """
import torch
from torch import nn


class Sums(nn.Module):
    def __init__(self, width, wide):
        super().__init__()
        self.up, self.down = nn.Linear(width, wide), nn.Linear(wide, width)

    def forward(self, x):
        return self.down(self.up(x).clamp(min=0))


def run_feed_forward(W_1, b_1, W_2, b_2, x):
    net = Sums(*W_1.shape)
    net.load_state_dict({"up.weight": W_1.T, "up.bias": b_1, "down.weight": W_2.T, "down.bias": b_2})
    return net(x)
"""


@pytest.mark.slow
@pytest.mark.torch
def test_a_function_of_float32_is_learned_and_keeps_every_point(
    teach: Callable[[str, Path], Learned], graded: Callable[[str, Path], Report], tmp_path: Path
) -> None:
    (lesson,) = teach(BUILT, tmp_path).judged
    assert lesson.definition.name == "run_feed_forward"
    assert lesson.interface.conventions["float64"] is False
    assert lesson.mistakes == ()
    report = graded(BUILT, tmp_path)
    assert report.score == report.max_score
    wrong = graded(BUILT.replace("clamp(min=0)", "abs()"), tmp_path)
    assert wrong.score < wrong.max_score


FUNCTIONS = [name for name in components.names() if "function" in components.forms(name)]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_is_passed_of_float32_is_what_is_compared(name: str) -> None:
    said = {"form": "function", "backend": "torch", "float64": False}
    part = components.function(name)
    interface = Interface(name, part.target, conventions=said)
    for case in part.under(interface).ladder(np.random.default_rng(0), {}):
        floats = [value for value in case.inputs.values() if isinstance(value, np.ndarray) and value.dtype.kind == "f"]
        assert all(np.array_equal(value, value.astype(np.float32)) for value in floats)


def test_arrays_of_numpy_have_no_float32_alone() -> None:
    said = Interface("softmax", "softmax", conventions={"float64": False})
    assert ["backend: torch" in text for _, text in complaints(said)] == [True]


NAMED = "def run_{}(x):\n    return x\n"


@pytest.mark.parametrize(
    ("name", "component"), [("swiglu", "feed_forward"), ("multihead_self_attention", "multi_head_attention")]
)
def test_what_tests_call_by_the_name_of_a_class_is_that_part(name: str, component: str) -> None:
    known = definitions([CodeModule("m", (CodeChunk(NAMED.format(name), "m.py"),))])
    assert [part.component for part in parts_of(known)] == [component]


@pytest.mark.parametrize("name", ["transformer_block", "linear", "language_model"])
def test_what_is_a_module_alone_is_no_function(name: str) -> None:
    known = definitions([CodeModule("m", (CodeChunk(NAMED.format(name), "m.py"),))])
    assert parts_of(known) == []
