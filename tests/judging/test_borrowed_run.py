"""Graded as a hand-in is: a borrowed part earns nothing, whole or asked for alone, and the parts around it do."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from grader.cli.judging import settings_for
from grader.intake.loading import load
from grader.model.outcome import Verdict
from grader.model.report import Report
from grader.pipeline import grade, prepared
from grader.sandbox.parent import Sandbox
from grader.score import select

CODE = """
import numpy as np
import torch
from torch import nn


def softmax(x, axis=-1):
    return torch.softmax(torch.as_tensor(np.asarray(x, float)), dim=axis).numpy()


def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -1e9)
    weights = softmax(scores)
    return weights @ V, weights
"""


@pytest.fixture
def sandbox(torch_sandbox: Sandbox) -> Sandbox:
    return torch_sandbox


def graded(sandbox: Sandbox, folder: Path, *components: str, code: str = CODE) -> Report:
    work = folder / "work.py"
    work.write_text(code)
    settings = settings_for("transformer-from-scratch", isolation="standard")
    rubric = select(settings.rubric, components)
    settings = replace(settings, components=components, rubric=rubric)
    return grade(prepared(load(work), settings.assignment), settings, sandbox)


@pytest.mark.torch
@pytest.mark.parametrize("more", [(), ("integrity",)])
def test_a_softmax_of_the_library_earns_nothing_and_the_attention_around_it_all(
    sandbox: Sandbox, tmp_path: Path, more: tuple[str, ...]
) -> None:
    report = graded(sandbox, tmp_path, "softmax", "scaled_dot_product_attention", *more)
    points = {mark.criterion.id: mark.points for mark in report.marks}
    assert (points["softmax"], points["scaled_dot_product_attention"]) == (0, 10)
    told = {
        (outcome.message, str(outcome.location))
        for mark in report.marks
        for outcome in mark.outcomes
        if outcome.verdict is Verdict.FAILED
    }
    assert told == {("torch.softmax is not allowed in softmax", "work.py, line 8")}


@pytest.mark.torch
def test_a_softmax_of_sparse_tensors_does_the_work_too(sandbox: Sandbox, tmp_path: Path) -> None:
    sparse = "torch.sparse.softmax(whole(np.asarray(x, float)), axis % np.ndim(x)).to_dense()"
    made = (
        "def whole(x):\n    at = torch.tensor(np.argwhere(np.ones_like(x)).T)\n"
        "    return torch.sparse_coo_tensor(at, torch.tensor(x.ravel()), x.shape)\n"
    )
    code = CODE.replace("torch.softmax(torch.as_tensor(np.asarray(x, float)), dim=axis)", sparse) + made
    report = graded(sandbox, tmp_path, "softmax", code=code)
    assert [mark.points for mark in report.marks] == [0]


@pytest.mark.torch
def test_a_part_asked_for_alone_says_so_too(sandbox: Sandbox, tmp_path: Path) -> None:
    report = graded(sandbox, tmp_path, "softmax")
    assert {outcome.verdict for outcome in report.marks[0].outcomes} == {Verdict.FAILED}
    assert report.score == 0
