"""What a solution takes is what its course promises; what hides a mistake is not promised."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from courses import HEAD, MATRICES
from courses_of_calls import TOLD

from grader.learning.lesson import Learned
from grader.model.report import Report

SINGLE = """
from torch import nn


class LayerNorm(nn.LayerNorm):
    def forward(self, x):
        return super().forward(x.float())
"""
WHOLE = TOLD.solution.replace("torch.softmax(scores, -1)", "torch.softmax(scores.float(), -1)")
STAYS = TOLD.solution.replace('self.register_buffer("places", ', "self.places = (")


@pytest.mark.slow
@pytest.mark.torch
@pytest.mark.parametrize(
    ("code", "part", "key"),
    [(SINGLE, "layer_norm", "float64"), (STAYS, "transformer", "moves"), (WHOLE, "decoder_layer", "float64")],
)
def test_what_a_solution_does_not_do_is_not_promised(
    code: str,
    part: str,
    key: str,
    teach: Callable[[str, Path], Learned],
    graded: Callable[[str, Path], Report],
    tmp_path: Path,
) -> None:
    pytest.importorskip("torch")
    lesson = next(one for one in teach(code, tmp_path).judged if one.component == part)
    assert lesson.interface.conventions[key] is False
    report = graded(code, tmp_path)
    assert report.score == report.max_score


def test_the_axes_that_it_takes_are_what_is_promised(teach: Callable[[str, Path], Learned], tmp_path: Path) -> None:
    lesson = teach(MATRICES, tmp_path).lessons[0]
    assert lesson.interface.domain == {"ranks": [2]}
    assert not lesson.mistakes


LAST_OF_THREE = (
    HEAD
    + "def softmax(scores, axis=2):\n    e = np.exp(scores - scores.max(axis, keepdims=True))\n"
    + "    return e / e.sum(axis, keepdims=True)\n"
)


def test_the_axis_behind_two_others_is_the_last_of_three(
    teach: Callable[[str, Path], Learned], graded: Callable[[str, Path], Report], tmp_path: Path
) -> None:
    lesson = teach(LAST_OF_THREE, tmp_path).lessons[0]
    assert lesson.interface.domain == {"ranks": [3]}
    assert not lesson.mistakes
    report = graded(LAST_OF_THREE.replace("axis=2", "axis=1"), tmp_path)
    assert report.score < report.max_score


UNSAID = (
    HEAD
    + "def softmax(scores, dim=None):\n    e = np.exp(scores - scores.max(axis=dim, keepdims=True))\n"
    + "    return e / e.sum(axis=dim, keepdims=True)\n"
)


def test_what_a_solution_leaves_to_its_caller_is_said_in_each_call(
    teach: Callable[[str, Path], Learned], graded: Callable[[str, Path], Report], tmp_path: Path
) -> None:
    lesson = teach(UNSAID, tmp_path).lessons[0]
    assert [(one.name, one.value) for one in lesson.interface.arguments if one.constant] == [("dim", -1)]
    assert not lesson.mistakes
    assert not lesson.questions
    report = graded(UNSAID.replace("e.sum(axis=dim, ", "e.sum(axis=0, "), tmp_path)
    assert report.score < report.max_score


ASSERTS = (
    HEAD
    + """def attention(queries, keys, values, mask=None):
    assert queries.ndim == 3 and keys.shape == values.shape
    s = queries @ np.swapaxes(keys, 1, 2) / np.sqrt(keys.shape[2])
    if mask is not None:
        assert mask.shape == s.shape
        s = np.where(mask, s, -1e9)
    w = np.exp(s - s.max(-1, keepdims=True))
    return w / w.sum(-1, keepdims=True) @ values
"""
)


@pytest.mark.slow
def test_what_asserts_of_shapes_is_promised(
    teach: Callable[[str, Path], Learned], graded: Callable[[str, Path], Report], tmp_path: Path
) -> None:
    lesson = teach(ASSERTS, tmp_path).lessons[0]
    assert lesson.interface.domain == {"ranks": [3], "same_width": True, "masks": "full"}
    assert not lesson.mistakes
    report = graded(ASSERTS.replace("s = queries @", "s = 2 * queries @"), tmp_path)
    assert report.score < report.max_score


def test_what_the_arguments_leave_out_is_settled(teach: Callable[[str, Path], Learned], tmp_path: Path) -> None:
    bare = "def layer_norm(x, eps=1e-5):\n    m, v = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)\n"
    lesson = teach(f"{HEAD}{bare}    return (x - m) / np.sqrt(v + eps)\n", tmp_path).lessons[0]
    assert lesson.interface.conventions == {"form": "function", "affine": "none"}
    assert not lesson.mistakes


def test_what_hides_a_mistake_is_not_promised(teach: Callable[[str, Path], Learned], tmp_path: Path) -> None:
    whole = HEAD + "def softmax(x):\n    e = np.exp(x - x.max())\n    return e / e.sum()\n"
    lesson = teach(whole, tmp_path).lessons[0]
    assert lesson.interface.domain == {}
    assert {one.diagnosis.id for one in lesson.mistakes if one.diagnosis} == {"softmax-over-everything"}
