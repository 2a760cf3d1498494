"""Files that are empty, or no work of the kind that is asked for: a message that fits what was asked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Grader = Callable[..., Any]
SHEET, REPORT, CODE, MIXED = "discovery-worksheet", "rederive-report", "attention-numpy", "attention-week"


def told(grader: Grader, name: str, data: bytes, *words: str) -> str:
    Path(name).write_bytes(data)
    ran = grader("check", name, *words)
    assert "Traceback" not in ran.err
    return " ".join((ran.out + ran.err).split())


@pytest.mark.parametrize("name", ["a.md", "a.yaml", "a.json", "a.txt", "a.pdf", "a.docx", "a.tex"])
def test_an_empty_file_is_called_empty_whatever_it_was_for(grader: Grader, name: str) -> None:
    for words in ((), ("-a", CODE), ("-a", SHEET), ("-a", REPORT)):
        out = told(grader, name, b"", *words)
        assert "empty" in out
        assert "Python code" not in out
        assert out.count(name) <= 3


@pytest.mark.parametrize("name", ["a.md", "a.yaml", "a.json", "a.txt"])
def test_a_text_without_answers_is_told_what_was_missed_and_where_to_go_on(grader: Grader, name: str) -> None:
    data = b'{"a": "1"}'
    alone = told(grader, name, data)
    assert "cannot tell which assignment this is: no code, and no answers behind their marks. Give one with -a" in alone
    for known in (SHEET, REPORT, MIXED, "paper-walkthrough"):
        assert known in alone
    assert CODE not in alone
    sheet = told(grader, name, data, "-a", SHEET)
    assert f"Nothing was read from {name}: no answer stands behind a mark there, as `grader new` writes them." in sheet
    assert "60 points wait until a person decides" in sheet, "what no program can read is no zero"
    assert "no Python code in it. Hand in a .py file, a notebook" in told(grader, name, data, "-a", CODE)


def test_code_where_a_sheet_or_a_report_is_asked_for_is_told_so(grader: Grader) -> None:
    code = b"x = 1\n"
    assert "No filled sheet was handed in. Answers are read from a text" in told(grader, "a.py", code, "-a", SHEET)
    assert "No report was handed in" in told(grader, "a.py", code, "-a", REPORT)


def test_a_picture_goes_to_a_person_where_written_work_is_asked_for(grader: Grader) -> None:
    for assignment in (SHEET, REPORT):
        out = told(grader, "a.jpg", b"\xff\xd8", "-a", assignment)
        assert out.count("Nothing was read from a.jpg") == 1
    assert "no Python code in it" in told(grader, "a.jpg", b"\xff\xd8", "-a", CODE)


def test_what_nothing_reads_is_told_what_is_read(grader: Grader) -> None:
    assert "this kind of file is not read. Hand in a .py file or a notebook, written work as" in told(
        grader, "a.pages", b"x", "-a", SHEET
    )


@pytest.mark.parametrize("name", ["worksheet.md", "answers.yaml", "answers.json", "mine.txt"])
def test_the_only_written_work_in_a_folder_is_what_is_checked(grader: Grader, name: str) -> None:
    for beside in ("handout.md", "README.md", "requirements.txt"):
        Path(beside).write_text("x")
    refused = grader("check")
    assert refused.code == 2
    assert "no work found: expected a .py file, a notebook or a zip, or written work" in refused.err
    Path(name).write_text('{"rnn_gpus": "1"}' if name.endswith("json") else "rnn_gpus: 1\n")
    assert f"{name} · discovery-worksheet" in grader("check").out
    Path("attention.py").write_text("def softmax(x):\n    return x\n")
    assert "attention.py ·" in grader("check", "-a", "attention-numpy").out


def test_several_documents_are_asked_about_with_both_ways_out(grader: Grader) -> None:
    for name in ("report.pdf", "report.tex"):
        Path(name).write_text("x")
    said = " ".join(grader("check").err.split())
    assert "which one is meant: report.pdf, report.tex?" in said
    assert "Name it: grader check report.pdf. All of them together: grader check ." in said
