"""Answers behind a mark, with the sheet's own blank table left below; rows that are told of all at once, or in part."""

import re

import pytest

from grader.catalog import load_assignment
from grader.model.outcome import Verdict
from grader.model.submission import Document
from grader.written.answers import judge_answer
from grader.written.printed import blank_sheet
from grader.written.sheet import Written, plain, read_sheet

SECTIONS = load_assignment("discovery-worksheet").sections
KEYS = {question.id: question.key for section in SECTIONS for question in section.questions}
BLANK = blank_sheet("Week 5", SECTIONS)
WORDS = ["who", "studied", "hard", "and", "completed", "all", "assignments", "passed", "the", "exam"]
MATRIX = "\n0.5 0.3 0.2\n0.4 0.2 0.4\n0.3 0.3 0.4\n"


def in_sheet(question: str, text: str) -> Verdict:
    sheet = re.sub(rf"(\*\*\[{question}\]\*\*) *$", lambda mark: f"{mark[1]} {text}", BLANK, flags=re.MULTILINE)
    assert sheet != BLANK
    answers = read_sheet([Document("sheet.md", sheet.encode())], SECTIONS, BLANK).answers
    return judge_answer(KEYS[question], answers[question]).verdict


def verdict(question: str, text: str) -> Verdict:
    return judge_answer(KEYS[question], Written(plain(text))).verdict


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("rnn_dependencies", "all yes"),
        ("rnn_dependencies", ", ".join(["yes"] * 10)),
        ("rnn_dependencies", ", ".join(f"{word}: yes" for word in WORDS)),
        ("dogs_love_treats", MATRIX),
        ("relevance", "0.1 0.5 0.4"),
    ],
)
def test_a_right_answer_behind_its_mark_counts_though_the_printed_table_is_blank(question: str, text: str) -> None:
    assert in_sheet(question, text) is Verdict.PASSED


@pytest.mark.parametrize(
    ("question", "text"),
    [("rnn_dependencies", "see my notes"), ("rnn_dependencies", "who: yes"), ("dogs_love_treats", "as in the lecture")],
)
def test_words_beside_a_blank_table_wait_or_lose_but_never_count(question: str, text: str) -> None:
    assert in_sheet(question, text) in {Verdict.UNDETERMINED, Verdict.FAILED}


@pytest.mark.parametrize("text", ["see my notes", "the words before"])
def test_words_that_are_not_read_wait(text: str) -> None:
    assert in_sheet("rnn_dependencies", text) is Verdict.UNDETERMINED


@pytest.mark.parametrize(
    "text",
    ["each step is done in parallel", "all steps at once", "All words are processed in one step",
     "all words at the same time step", "who: yes; the rest: yes", "who yes, others yes",
     "each word can be processed independently, yes", "all can be computed at once, yes", "yes, all in parallel",
     "each step depends on its own"],
)  # fmt: skip
def test_what_may_mean_anything_for_all_rows_waits(text: str) -> None:
    assert verdict("rnn_dependencies", text) is Verdict.UNDETERMINED


@pytest.mark.parametrize("text", ["who: yes", "who: yes\nstudied: yes"])
def test_rows_that_nobody_wrote_are_left_empty(text: str) -> None:
    assert verdict("rnn_dependencies", text) is Verdict.FAILED


@pytest.mark.parametrize(
    "text",
    ["| The | cat | sat |\n|---|---|---|\n| 0.1 | 0.5 | 0.4 |",
     "| cat | The | sat |\n|---|---|---|\n| 0.5 | 0.1 | 0.4 |",
     "1/3 The, 1/3 cat, 1/3 sat", "1/4 The, 1/2 cat, 1/4 sat", "10% The, 50% cat, 40% sat"],
)  # fmt: skip
def test_a_row_of_weights_is_read_as_it_is_drawn(text: str) -> None:
    assert verdict("relevance", text) is Verdict.PASSED


@pytest.mark.parametrize(
    "text", ["| The | cat | sat |\n|---|---|---|\n| 0.1 | 0.5 | 0.6 |", "1/2 The, 1/2 cat, 1/2 sat"]
)
def test_weights_that_do_not_sum_to_one_are_wrong(text: str) -> None:
    assert verdict("relevance", text) is Verdict.FAILED


@pytest.mark.parametrize(
    "text",
    ["No, one head can capture everything", "No, because one head is all you need", "Nein, reicht",
     "No, since a single attention captures all patterns", "no, one is enough", "No, it can",
     "No, because one does it all", "No, because one works fine", "No, since everything is captured",
     "No, since a head handles all relations", "No, because more heads are useless",
     "No, because additional heads add nothing", "No, since more than one is unnecessary",
     "No, because the pattern already represents all relations"],
)  # fmt: skip
def test_a_no_that_says_yes_waits(text: str) -> None:
    assert verdict("one_pattern", text) is Verdict.UNDETERMINED


@pytest.mark.parametrize(
    "text",
    ["No", "No, because one head cannot capture several relations",
     "No, different heads can capture different patterns",
     "No, one head can only capture one pattern", "Nein"],
)  # fmt: skip
def test_a_no_with_its_reason_counts(text: str) -> None:
    assert verdict("one_pattern", text) is Verdict.PASSED
