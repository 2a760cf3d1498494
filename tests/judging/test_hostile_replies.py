"""Whatever mixture of answers a child sends, each program's on its own, judging it ends in verdicts of ours."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grader.cli.judging import settings_for
from grader.intake.loading import load
from grader.model.outcome import Verdict
from grader.pipeline import grade, prepared
from grader.report import json_report
from grader.sandbox.asking import Asking
from grader.sandbox.parent import Sandbox
from grader.sandbox.plain import Answers, Failure, Program, Reply
from grader.sandbox.returned import fits
from grader.sandbox.wire import TensorValue

RIGHT = Path(__file__).resolve().parents[2] / "examples" / "class" / "right.py"
ROUNDS = 60
ODD: tuple[Any, ...] = (
    None, True, 0, -1, 10**300, float("nan"), float("inf"), "", "x", [], {}, (), [None], [[]], {"a": 1}, (1, 2),
    np.array(0.0), np.array([]), np.zeros((0, 10**9)), np.zeros((1,) * 32), np.array([1j]), np.array([True]),
    np.array([2**63 - 1]), np.array([np.nan]), np.zeros((4, 4), "<f2"), (np.array([1.0]), None), (None, None),
    TensorValue(np.zeros((2, 3), "<f4"), "meta", requires_grad=True), [np.array([np.inf])], ("x",),
)  # fmt: skip
LOST = ("timeout", "crashed", "protocol")
BROKEN = ("error", "memory", "missing")
Spoil = Callable[[Reply, Program], Reply]


def spoiler(rng: random.Random) -> Spoil:
    """Change about a quarter of the replies to others that the sandbox lets through."""

    def changed(value: Any) -> Any:
        if isinstance(value, np.ndarray):
            return rng.choice([value * 0, value.T, value[..., None], value + np.nan, value.astype("<f4"), value[:0]])
        if isinstance(value, tuple):
            return rng.choice([value[::-1], value[:-1], tuple(changed(each) for each in value), list(value)])
        return rng.choice(ODD)

    def spoilt(reply: Reply, program: Program) -> Reply:
        if rng.random() > 0.25:
            return reply
        how = rng.randrange(4)
        if how == 0:
            return Reply(rng.choice(LOST), (), Failure("Ended", "it ended"))
        if how == 1:
            frames = rng.choice([(), (("right.py", 1, "f"),), (("", -5, ""), ("nowhere", 10**18, "\x00"))])
            kind = rng.choice(["ValueError", "", "Unsendable", "MemoryError", "Missing"])
            failure = Failure(kind, rng.choice(["", "\x1b[31m", "x" * 2000]), frames, rng.choice([0, -1]))
            made = Reply(rng.choice(BROKEN), reply.values[: rng.randrange(2)], failure)
        elif how == 2:
            made = replace(reply, values=tuple(map(changed, reply.values)))
        else:
            made = replace(reply, values=tuple(rng.choice(ODD) for _ in reply.values))
        return made if fits(made, program.steps) else Reply("protocol", (), Failure("Protocol", "no answer"))

    return spoilt


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))])
def test_no_mixture_of_answers_is_a_fault_or_earns_what_it_should_not(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = settings_for("attention-numpy", isolation="standard")
    submission = prepared(load(RIGHT), settings.assignment)
    rng = random.Random(seed)  # noqa: S311 - spoils answers, keeps no secrets
    spoil, spoilt = spoiler(rng), [0]
    answers = Asking._answers

    def mixed(self: Asking) -> Answers:
        given = answers(self)
        replies = tuple(spoil(reply, program) for reply, program in zip(given.replies, self.programs, strict=True))
        spoilt[0] += sum(reply.status in LOST for reply in replies)
        return replace(given, replies=replies)

    with Sandbox("standard") as sandbox:
        honest = grade(submission, settings, sandbox)
        monkeypatch.setattr(Asking, "_answers", mixed)
        for _ in range(ROUNDS // 3):
            spoilt[0] = 0
            report = grade(submission, settings, sandbox)
            outcomes = [outcome for mark in report.marks for outcome in mark.outcomes]
            assert [outcome.staff_note for outcome in outcomes if outcome.verdict is Verdict.FAULT] == []
            assert report.score <= honest.score
            assert not spoilt[0] or report.score < honest.score
            json_report.render(report, "staff")
