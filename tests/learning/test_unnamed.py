"""Arguments that no word explains: tried as masks, whatever they are called, and asked about where they are none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from grader.learning import unnamed
from grader.learning.definitions import Definition, definitions
from grader.learning.draft import calls
from grader.learning.lesson import Learned, Lesson
from grader.learning.trial import changed
from grader.model.assignment import Interface
from grader.model.report import Report
from grader.model.submission import CodeChunk, CodeModule

ATTENTION = "scaled_dot_product_attention"
GIVEN = ("Q", "K", "V", "mask")
BY_NAME = {
    "one of any name": ("forbidden=None", "forbidden", ""),
    "padding, that may be an id elsewhere": ("padding=None", "padding", ""),
    "a letter": ("w=None", "w", ""),
    "the second of two": ("frame=None, ignore=None", "ignore", "frame"),
    "none": ("frame=None", "", "frame"),
    "one beside a mask": ("mask=None, frame=None", "", "frame"),
    "what words explain": ("mask=None, dropout=None, training=None, need=False", "", ""),
}


@pytest.mark.parametrize("what", BY_NAME)
def test_what_no_word_explains_is_a_mask_or_a_question(what: str) -> None:
    taken, acts, asked = BY_NAME[what]
    one = definitions([CodeModule("m", (CodeChunk(f"def attend(q, k, v, {taken}): 1\n", "m.py"),))])["attend"]

    def learn(meant: Definition) -> tuple[Lesson, float]:
        called = next(calls(meant, GIVEN))["parameters"]
        right = [each.name for each in meant.called if each.as_mask] == [acts]
        return Lesson(meant, changed(Interface(ATTENTION, "attend"), parameters=called)), -int(right)

    lesson = unnamed.learned(one, GIVEN, learn)
    assert [each.name for each in lesson.definition.called if each.as_mask] == ([acts] if acts else [])
    assert ("mask" in lesson.interface.parameters) == (bool(acts) or "mask" in taken)
    assert [question.text.partition(" is given")[0] for question in lesson.questions] == ([asked] if asked else [])


def test_each_of_several_masks_is_found() -> None:
    code = "def layer(x, memory, own_hide=None, src_hide=None, target_hide=None): 1\n"
    one = definitions([CodeModule("m", (CodeChunk(code, "m.py"),))])["layer"]
    given = ("x", "memory", "src_mask", "tgt_mask")

    def learn(meant: Definition) -> tuple[Lesson, float]:
        called = next(calls(meant, given))["parameters"]
        return Lesson(meant, changed(Interface("decoder_layer", "layer"), parameters=called)), -len(called)

    lesson = unnamed.learned(one, given, learn)
    masks = {each.name: each.value for each in lesson.interface.arguments if "mask" in str(each.value)}
    assert masks == {"src_hide": "src_mask", "target_hide": "tgt_mask"}
    assert [question.text.partition(" is given")[0] for question in lesson.questions] == ["own_hide"]


FUNCTION = """
import numpy as np


def attention(q, k, v, hide=None):
    s = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    if hide is not None:
        s = np.where(hide, -1e9, s)
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ v
"""
CLASS = """
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        assert width % heads == 0
        self.heads = heads
        self.a, self.b, self.c, self.d = (nn.Linear(width, width) for _ in range(4))

    def forward(self, queries, keys, values, hide=None):
        q, k, v = (f(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)
                   for f, x in ((self.a, queries), (self.b, keys), (self.c, values)))
        s = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
        if hide is not None:
            s = s.masked_fill(hide.unsqueeze(1), -1e9)
        return self.d((s.softmax(-1) @ v).transpose(1, 2).flatten(2))
"""


OF_KEYS = {"mask": "block", "mask_shapes": ["(b, n, m)", "(b, 1, m)"]}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "line", "said"),
    [
        (FUNCTION, "        s = np.where(hide, -1e9, s)\n", {"mask": "block"}),
        pytest.param(
            CLASS, "            s = s.masked_fill(hide.unsqueeze(1), -1e9)\n", OF_KEYS, marks=pytest.mark.torch
        ),
    ],
)
def test_a_mask_of_any_name_is_asked(
    code: str,
    line: str,
    said: dict[str, object],
    teach: Callable[[str, Path], Learned],
    graded: Callable[[str, Path], Report],
    tmp_path: Path,
) -> None:
    (lesson,) = teach(code, tmp_path).judged
    assert "mask" in lesson.interface.parameters
    assert {key: lesson.interface.conventions[key] for key in said} == said
    assert not lesson.questions
    right, without = (
        graded(text, tmp_path) for text in (code, code.replace(line, line[: -len(line.lstrip())] + "pass\n"))
    )
    assert right.score == right.max_score
    assert without.score < without.max_score
