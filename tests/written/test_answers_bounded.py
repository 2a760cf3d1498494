"""Whatever is written into an answer, judging it ends soon: every kind of key against texts made to hold it up."""

from __future__ import annotations

import time

import pytest

from grader.catalog import load_assignment
from grader.written.answers import judge_answer
from grader.written.sheet import LONGEST, Written, plain

KEYS = {
    question.key.kind: question.key
    for name in ("discovery-worksheet", "paper-walkthrough")
    for section in load_assignment(name).sections
    for question in section.questions
}
SECONDS = 4.0
"""Most end in a hundredth of it; what takes the cube of the letters would take days."""
RUNS = (" ", "*", ",", "{", "-", "a", "1", "|", "\n", "1 a ", "1,", "no, ", "1/2 ", "a→", '*_`"', " \t")
FRAMES = ("{}", "1 a 1{}x", "zz, not x{}y,")


@pytest.mark.parametrize("kind", sorted(set(KEYS) - {"formula"}))  # those have bounds, and tests of their own
def test_judging_an_answer_ends_soon(kind: str) -> None:
    slow = []
    for frame in FRAMES:
        for run in RUNS:
            text = frame.format(run * (LONGEST // len(run)))
            start = time.process_time()
            judge_answer(KEYS[kind], Written(plain(text)))
            if time.process_time() - start > SECONDS:
                slow.append((frame, run))
    assert slow == []
