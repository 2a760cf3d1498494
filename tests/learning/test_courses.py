"""Courses learned from their solutions: right work keeps every point in any style, wrong work is caught and named."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from courses import CONFIG, TIME_FIRST, Course
from courses_of_arrays import NUMPY
from courses_of_calls import ROTARY, TOLD
from courses_of_keywords import BY_NAME, CACHES
from courses_of_lengths import LENGTHS
from courses_of_losses import LOSS
from courses_of_masks import HEADS, LAST, TUTORIAL
from courses_of_models import FUNCTIONS, LANGUAGE, STACKS
from courses_of_scripts import SCRIPT, TOGETHER
from courses_of_states import STATES

from grader.auditing.audit import rehearsals
from grader.catalog import load_assignment
from grader.model.outcome import Verdict
from grader.model.report import Report

TORCH = [pytest.mark.slow, pytest.mark.torch]
COURSES = [
    pytest.param(NUMPY, id="numpy classes"),
    pytest.param(LOSS, id="a loss that is made with sizes", marks=pytest.mark.slow),
    pytest.param(CONFIG, id="one config, causal by itself", marks=TORCH),
    pytest.param(TIME_FIRST, id="time first, masks added", marks=TORCH),
    pytest.param(FUNCTIONS, id="functions that tests call", marks=TORCH),
    pytest.param(LANGUAGE, id="a language model", marks=TORCH),
    pytest.param(STACKS, id="stacks that embed ids", marks=TORCH),
    pytest.param(TOLD, id="calls that say whether they train", marks=TORCH),
    pytest.param(TUTORIAL, id="masks of ones that block, weights beside", marks=TORCH),
    pytest.param(LAST, id="masks whose batch comes last", marks=TORCH),
    pytest.param(HEADS, id="masks without the heads", marks=pytest.mark.slow),
    pytest.param(LENGTHS, id="lengths for masks, widths of what is projected", marks=TORCH),
    pytest.param(ROTARY, id="gates and rotary positions", marks=TORCH),
    pytest.param(SCRIPT, id="one script, sizes at its top", marks=TORCH),
    pytest.param(TOGETHER, id="put together from outside", marks=TORCH),
    pytest.param(CACHES, id="caches that are given, and a GPU", marks=TORCH),
    pytest.param(BY_NAME, id="calls that hand on by name", marks=pytest.mark.slow),
    pytest.param(STATES, id="caches beside, settings in dicts", marks=pytest.mark.slow),
]


@pytest.fixture(scope="module", params=COURSES)
def taught(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, teach: Any) -> tuple[Course, Path]:
    if request.param not in (NUMPY, LOSS, HEADS, BY_NAME, STATES):
        pytest.importorskip("torch")
    folder = tmp_path_factory.mktemp("course")
    teach(request.param.solution, folder)
    return request.param, folder


def lost(report: Report) -> dict[str, str]:
    outcomes = [outcome for mark in report.marks for outcome in mark.outcomes]
    return {one.check: one.message for one in outcomes if one.verdict is not Verdict.PASSED}


def named(report: Report) -> set[str]:
    outcomes = [outcome for mark in report.marks for outcome in mark.outcomes]
    return {name for one in outcomes if one.diagnosis for name in one.diagnosis.ids}


def test_what_the_solution_settles_is_declared(taught: tuple[Course, Path]) -> None:
    course, folder = taught
    said = yaml.safe_load((folder / "assignment.yaml").read_text())["components"]
    for component, conventions in course.learned.items():
        found = said[component].get("conventions", {})
        assert {key: found.get(key) for key in conventions} == conventions


def test_every_line_says_what_was_seen(taught: tuple[Course, Path]) -> None:
    lines = (taught[1] / "assignment.yaml").read_text().partition("components:\n")[2].splitlines()
    bare = [line for line in lines if "#" not in line and not line.strip().endswith(":")]
    assert not bare


def test_the_solution_keeps_every_point(taught: tuple[Course, Path], graded: Callable[..., Report]) -> None:
    report = graded(taught[0].solution, taught[1])
    assert report.score == report.max_score, lost(report)


def test_the_audits_reference_keeps_every_point(taught: tuple[Course, Path]) -> None:
    assignment = load_assignment(taught[1])
    for interface in assignment.interfaces:
        subject, outcomes = next(iter(rehearsals(assignment, [interface.component])))
        assert not subject.faulty
        assert {one.check: one.message for one in outcomes if one.verdict is not Verdict.PASSED} == {}


def test_right_work_in_another_style_keeps_every_point(
    taught: tuple[Course, Path], graded: Callable[..., Report]
) -> None:
    report = graded(taught[0].other or taught[0].solution, taught[1])
    assert report.score == report.max_score, lost(report)


@pytest.mark.slow
def test_wrong_work_is_caught_and_named_and_paid_for_once(
    taught: tuple[Course, Path], graded: Callable[..., Report]
) -> None:
    course, folder = taught
    bad = []
    for mistake, right, wrong in course.wrong:
        assert right in course.solution
        report = graded(course.solution.replace(right, wrong), folder)
        paying = [mark.criterion.id for mark in report.marks if mark.points < mark.criterion.points]
        if len(paying) != 1 or mistake not in named(report):
            bad.append((mistake, wrong, paying, named(report), lost(report)))
    assert not bad


def test_the_starter_gives_nothing_away(taught: tuple[Course, Path], graded: Callable[..., Report]) -> None:
    text = (taught[1] / "starter" / "learned.py").read_text()
    assert "is yours to write" in text
    assert "sqrt" not in text
    assert graded(text, taught[1]).score == 0
