"""Whatever is written into an answer: the time for judging it grows with its length, in every kind of question."""

from __future__ import annotations

from functools import partial

import pytest

from grader.catalog import load_assignment
from grader.written.answers import judge_answer
from grader.written.sheet import LONGEST, Written, plain
from tests.growth import SQUARE, growth

KEYS = {
    question.key.kind: question.key
    for name in ("discovery-worksheet", "paper-walkthrough")
    for section in load_assignment(name).sections
    for question in section.questions
}
RUNS = (" ", "*", ",", "{", "-", "a", "1", "|", "\n", "1 a ", "1,", "no, ", "1/2 ", "a→", '*_`"', " \t")
FRAMES = ("{}", "1 a 1{}x", "zz, not x{}y,")


SLOW = {"list", "text"}
"""The kinds whose answers are looked through most: up to seconds each, of whatever length."""


@pytest.mark.parametrize(
    "kind",  # those of formulas have bounds, and tests of their own
    [pytest.param(kind, marks=pytest.mark.slow if kind in SLOW else ()) for kind in sorted(set(KEYS) - {"formula"})],
)
@pytest.mark.parametrize("frame", [FRAMES[0], *(pytest.param(frame, marks=pytest.mark.slow) for frame in FRAMES[1:])])
def test_the_time_for_an_answer_grows_with_its_length_up_to_the_cap(kind: str, frame: str) -> None:
    def judge(run: str, letters: int) -> None:
        judge_answer(KEYS[kind], Written(plain(frame.format(run * (letters // len(run))))))

    found = {run: growth(partial(judge, run), LONGEST // 4) for run in RUNS}
    assert {run: times for run, times in found.items() if times >= SQUARE} == {}
