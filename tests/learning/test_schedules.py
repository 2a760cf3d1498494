"""A schedule that sets the rate of an optimizer is learned and judged by the rate that stands there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from grader.learning.lesson import Learned
from grader.model.report import Report

pytestmark = pytest.mark.torch

WRAPPED = """
import torch

class NoamScheduler:
    def __init__(self, optimizer, model_size, num_warmup_steps=4000, scale=1.0):
        self.optimizer, self.done = optimizer, 0
        self.size, self.warm, self.scale = model_size, num_warmup_steps, scale

    def step(self):
        self.done += 1
        for group in self.optimizer.param_groups:
            group["lr"] = self.scale * self.size ** -0.5 * min(self.done ** -0.5, self.done * self.warm ** -1.5)
"""
RETURNED = """
import torch

def get_noam_scheduler(optimizer, d_model, warmup):
    def rate(step):
        step = max(step, 1)
        return d_model ** -0.5 * min(step ** -0.5, step * warmup ** -1.5)
    return torch.optim.lr_scheduler.LambdaLR(optimizer, rate)
"""
INHERITED = """
import torch

class NoamOptimizer(torch.optim.Adam):
    def __init__(self, params, d_model, warmup=4000):
        super().__init__(params, lr=0.0)
        self.width, self.warm, self.number = d_model, warmup, 0

    def step(self, closure=None):
        self.number += 1
        for group in self.param_groups:
            group["lr"] = self.width ** -0.5 * min(self.number ** -0.5, self.number * self.warm ** -1.5)
        return super().step(closure)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "takes"),
    [(WRAPPED, ("step", "d_model", "warmup", "factor")), (RETURNED, ("step", "d_model", "warmup")),
     (INHERITED, ("step", "d_model", "warmup"))],
)  # fmt: skip
def test_a_schedule_around_an_optimizer_is_judged_by_the_rate_that_it_sets(
    code: str,
    takes: tuple[str, ...],
    teach: Callable[[str, Path], Learned],
    graded: Callable[[str, Path], Report],
    tmp_path: Path,
) -> None:
    (lesson,) = teach(code, tmp_path).judged
    assert (lesson.component, lesson.interface.parameters, lesson.mistakes) == ("noam_lr", takes, ())
    assert (
        "- Each of its steps sets `lr` in the `param_groups` of the optimizer." in (tmp_path / "handout.md").read_text()
    )
    report = graded(code, tmp_path)
    assert report.score == report.max_score
    report = graded(code.replace("-1.5", "-0.5"), tmp_path)
    assert report.score < report.max_score / 2
    wrong = graded(code.replace("min(", "max("), tmp_path)
    named = [one.diagnosis.id for mark in wrong.marks for one in mark.outcomes if one.diagnosis]
    assert {*named} == {"noam-max-for-min"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "slips"),
    [
        (WRAPPED, [("self.done = optimizer, 0", "self.done = optimizer, 1"), ("self.done += 1", "self.done += 2")]),
        (RETURNED, [("step = max(step, 1)", "step = step + 1")]),
        (INHERITED, [("self.number = d_model, warmup, 0", "self.number = d_model, warmup, 1")]),
    ],
)
def test_what_counts_its_steps_from_elsewhere_is_wrong_however_it_counts(
    code: str,
    slips: list[tuple[str, str]],
    teach: Callable[[str, Path], Learned],
    graded: Callable[[str, Path], Report],
    tmp_path: Path,
) -> None:
    (lesson,) = teach(code, tmp_path).judged
    assert (lesson.component, lesson.mistakes) == ("noam_lr", ())
    report = graded(code, tmp_path)
    assert report.score == report.max_score
    for right, wrong in slips:
        assert right in code
        report = graded(code.replace(right, wrong), tmp_path)
        assert report.score < report.max_score
