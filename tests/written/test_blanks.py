"""Blanks of both worksheets, filled in by many hands: right ones never fail, wrong ones never pass."""

from collections import Counter
from pathlib import Path

import pytest

from grader.catalog import load_assignment
from grader.model.outcome import Verdict
from grader.written.answers import judge_answer
from grader.written.sheet import Written

HERE = Path(__file__).parent / "blanks"
KEYS = {
    question.id: question.key
    for assignment in ("discovery-worksheet", "paper-walkthrough")
    for section in load_assignment(assignment).sections
    for question in section.questions
}


def rows(name: str) -> list[tuple[str, str]]:
    lines = (HERE / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return [(line.split("|", 1)[0], line.split("|", 1)[1]) for line in lines if line and not line.startswith("#")]


def verdict(question: str, answer: str) -> Verdict:
    return judge_answer(KEYS[question], Written(answer)).verdict


@pytest.mark.parametrize(("question", "answer"), rows("right"))
def test_a_right_answer_never_fails(question: str, answer: str) -> None:
    assert verdict(question, answer) in {Verdict.PASSED, Verdict.UNDETERMINED}


@pytest.mark.parametrize(("question", "answer"), [*rows("wrong"), *rows("german_wrong")])
def test_a_wrong_answer_never_passes(question: str, answer: str) -> None:
    assert verdict(question, answer) in {Verdict.FAILED, Verdict.UNDETERMINED}


def test_no_wrong_word_of_the_field_passes_and_none_that_is_not_known_is_suggested() -> None:
    judged = [(row, judge_answer(KEYS[row[0]], Written(row[1]))) for row in rows("wrong_words")]
    assert not [row for row, found in judged if found.verdict is Verdict.PASSED or (found.suggested or 0) >= 1]


def test_most_blanks_are_decided_at_once() -> None:
    right = Counter(verdict(*row) for row in rows("right"))
    wrong = Counter(verdict(*row) for row in rows("wrong"))
    assert right[Verdict.PASSED] >= 0.9 * right.total()
    assert wrong[Verdict.FAILED] >= 0.7 * wrong.total()


def test_blanks_in_whole_sentences_are_mostly_decided_and_no_wrong_one_passes() -> None:
    judged = [
        (said, verdict(question, answer), answer)
        for question, rest in rows("own_words")
        for said, answer in [rest.split("|", 1)]
    ]
    right = [found for said, found, _ in judged if said == "right"]
    assert not [answer for said, found, answer in judged if said == "wrong" and found is Verdict.PASSED]
    assert sum(found is Verdict.PASSED for found in right) >= 0.9 * len(right)
    assert Verdict.FAILED not in right
