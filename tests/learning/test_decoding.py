"""Decoding that is given a whole model, and rates that are given a factor, are learned with what is passed to them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from grader.learning.lesson import Learned
from grader.model.report import Report

BEAMS = """
import torch

START, END = 1, 2


@torch.no_grad()
def beam_search(model, src, beam_size=4, max_len=50, alpha=0.6):
    memory = model.encode(src)
    alive, ended = [((START,), 0.0)], []
    value = lambda one: one[1] / ((4 + len(one[0])) / 6) ** alpha
    while alive and len(alive[0][0]) < max_len:
        rows = model.decode(torch.tensor([ids for ids, _ in alive]), memory.expand(len(alive), -1, -1))
        logs = torch.log_softmax(model.head(rows[:, -1]), -1).tolist()
        grown = [((*ids, i), s + log) for (ids, s), row in zip(alive, logs) for i, log in enumerate(row)]
        best = sorted(grown, key=lambda one: -one[1])[:beam_size]
        ended += [one for one in best if one[0][-1] == END]
        alive = [one for one in best if one[0][-1] != END]
    return list(max(ended + alive, key=value)[0])
"""


@pytest.mark.slow
def test_a_beam_search_with_a_model_of_its_own_course_is_learned_and_judged(
    teach: Callable[[str, Path], Learned], graded: Callable[[str, Path], Report], tmp_path: Path
) -> None:
    (lesson,) = teach(BEAMS, tmp_path).judged
    assert not lesson.mistakes
    assert not lesson.questions
    assert {**lesson.interface.conventions} == {"form": "function", "finished": "set_aside"}
    assert "alpha" in lesson.interface.parameters
    by_a_call = BEAMS.replace("model.decode(", "model(")
    for right in (BEAMS, by_a_call):
        report = graded(right, tmp_path)
        assert report.score == report.max_score
    named = {
        "beam-ignores-alpha": BEAMS.replace(" ** alpha", " ** 0"),
        "course-finished-shrink": BEAMS.replace("[:beam_size]", "[: max(1, beam_size - len(ended))]"),
    }
    for slip, wrong in named.items():
        outcomes = [one for mark in graded(wrong, tmp_path).marks for one in mark.outcomes]
        assert slip in {id_ for one in outcomes if one.diagnosis for id_ in one.diagnosis.ids}, slip


FACTORED = """
def rate(step, model_size, factor, warmup):
    return factor * model_size**-0.5 * min(step**-0.5, step * warmup**-1.5)
"""


def test_a_factor_that_is_an_argument_is_asked_with_other_numbers(
    teach: Callable[[str, Path], Learned], graded: Callable[[str, Path], Report], tmp_path: Path
) -> None:
    (lesson,) = teach(FACTORED, tmp_path).judged
    assert lesson.interface.parameters == ("step", "d_model", "factor", "warmup")
    report = graded(FACTORED, tmp_path)
    assert report.score == report.max_score
    wrong = graded(FACTORED.replace("return factor * ", "return "), tmp_path)
    lost = [one for mark in wrong.marks for one in mark.outcomes if one.diagnosis]
    assert {one.diagnosis.id for one in lost if one.diagnosis} == {"noam-ignores-factor"}
    assert wrong.score < wrong.max_score
